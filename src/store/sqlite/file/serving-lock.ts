import * as fs from "node:fs";
import { OperatorError } from "../../../base/operator-error.ts";
import { tryLock, unlock } from "../../../base/system/file-lock.ts";
import { OWNER_ONLY } from "../../files/files.ts";
import { absolutePath } from "../../urls/database-url.ts";
import { UnusableDatabase } from "../../urls/unusable-database.ts";
import { isBusy, reasonOf } from "../sql/attempt.ts";
import { connect } from "../sql/connect.ts";
import { openForGood } from "../sql/libc.ts";
import { isSameFile } from "./identity.ts";

const RETRY_INTERVAL_MS = 10;

export class AlreadyServed extends UnusableDatabase {
  /** @param then What to do once that process is stopped. */
  constructor(path: string, then?: string) {
    super(`another process is already serving ${absolutePath(path)}`, { kind: "served", then });
  }
}

/**
 * Linux locks the database file itself, so the lock follows a renamed file, and a hard link is no way around it.
 * Elsewhere such a lock would conflict with SQLite's own, so a file beside it is locked.
 */
const LOCKS_THE_DATABASE = process.platform === "linux";

/**
 * Makes sure that one process at a time serves a database, because the counters are kept in its memory.
 * The kernel releases the lock with the process, however that ends. Fails with an OperatorError, which says what to do
 * then, once that process is stopped.
 */
export function lockForServing(path: string, timeoutMs: number, then?: string) {
  try {
    const file = LOCKS_THE_DATABASE ? path : `${path}-lock`;
    let descriptor = openForLocking(file);
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      const isLocked = tryLock(descriptor) && !isLockedAsBefore(path);
      if (isLocked && isSameFile(fs.statSync(file, { throwIfNoEntry: false }), fs.fstatSync(descriptor))) break;
      unlock(descriptor);
      if (performance.now() >= deadlineMs) throw new AlreadyServed(path, then);
      // A restore has replaced the file meanwhile, so the lock is on the old one.
      if (isLocked) descriptor = openForLocking(file);
      else Bun.sleepSync(RETRY_INTERVAL_MS);
    }
    const locked = descriptor;
    return {
      unlock: () => unlock(locked),
      /** The open database file, if that is what is locked. It identifies the file, whatever is at its path later. */
      descriptor: LOCKS_THE_DATABASE ? locked : undefined,
    };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`cannot lock ${absolutePath(path)}: ${reasonOf(error)}`);
  }
}

/**
 * Returns whether a database is being served, or is used by one process alone, as for a restore. Where the file system
 * has no locks nobody can know, so it may be.
 */
export function isServed(path: string): boolean {
  try {
    // Stays open: closing any descriptor of the database would release SQLite's own locks.
    const descriptor = openForGood(LOCKS_THE_DATABASE ? path : `${path}-lock`);
    if (descriptor !== undefined && !tryLock(descriptor)) return true;
    if (descriptor !== undefined) unlock(descriptor);
    return isLockedAsBefore(path);
  } catch {
    return true;
  }
}

/** SQLite takes an empty file for a new database. */
const openForLocking = (file: string): number => openForGood(file) ?? fs.openSync(file, "a+", OWNER_ONLY);

/** Release 1.0.0 locked another file, and such a service may still be running. Without one, that file is removed. */
function isLockedAsBefore(path: string): boolean {
  const file = `${path}-serving`;
  try {
    using lock = connect(file, { readwrite: true, create: false });
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("BEGIN EXCLUSIVE");
    fs.rmSync(file, { force: true });
    return false;
  } catch (error) {
    return isBusy(error);
  }
}
