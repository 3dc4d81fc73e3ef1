import type { Database } from "bun:sqlite";
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperatorError } from "../../../base/operator-error.ts";
import { compactTime } from "../../../domain/backup-series.ts";
import { copyBytes, isWithoutLinks, OWNER_ONLY, syncFolder } from "../../files/files.ts";
import { absolutePath } from "../../urls/database-url.ts";
import { isBusy } from "../sql/attempt.ts";
import { connect } from "../sql/connect.ts";
import { openForGood } from "../sql/libc.ts";
import { setBusyTimeout } from "../sql/pragmas.ts";
import { objectionToWal } from "../wal/check.ts";
import { closeNow } from "./close.ts";
import { isDamage } from "./damage.ts";
import { refuseForeign } from "./database.ts";
import { isSameFile } from "./identity.ts";

// A restore replaces the database in one step, so that there is one at every moment, and keeps the old one. The old log
// must never be applied to the new file, so it is emptied and removed first, while nobody else can use the database;
// the log of a damaged file is kept with that file.

/** The suffixes of the files that SQLite keeps beside a database. */
const SIDECARS = ["-wal", "-shm", "-journal"];
const MAX_ATTEMPTS = 10;
const ASIDE = /-before-restore-\d{8}T\d{6}\.\d{3}Z\.db$/;

/** Returns the path of the old database, which is kept aside. Fails with an OperatorError if another process uses it. */
export function replaceFile(path: string, replacement: string, nowMs: number, timeoutMs: number): string {
  for (const name of leftoverLinks(path)) fs.rmSync(name);
  const old = lockOut(path, timeoutMs);
  try {
    const aside = keepAside(path, nowMs);
    moveSidecars(path, aside);
    syncFolder(dirname(aside));
    fs.renameSync(replacement, path);
    syncFolder(dirname(aside));
    return aside;
  } finally {
    if (old) closeNow(old);
  }
}

/** Moves a log without its database aside, so that SQLite does not apply it to the next database at that path. */
export function setLostLogAside(path: string, nowMs: number): void {
  if (SIDECARS.some((end) => fs.existsSync(path + end))) moveSidecars(path, asideName(path, nowMs));
}

/** Hard links to a database that an interrupted restore has left: they are no copies of it. */
export function leftoverLinks(path: string): string[] {
  const database = fs.statSync(path);
  const folder = dirname(absolutePath(path));
  return fs
    .readdirSync(folder)
    .filter((name) => ASIDE.test(name))
    .map((name) => join(folder, name))
    .filter((name) => isSameFile(fs.lstatSync(name, { throwIfNoEntry: false }), database));
}

/**
 * Returns a connection that excludes all others until it is closed, after all of the log went into the file. Returns
 * undefined if the file is damaged, or has the log of another one, so that SQLite must not open it.
 */
function lockOut(path: string, timeoutMs: number): Database | undefined {
  if (objectionToWal(path) !== undefined) return undefined;
  const db = connect(path, { readwrite: true });
  try {
    setBusyTimeout(db, timeoutMs);
    refuseForeign(db, path);
    for (let i = 0; i < MAX_ATTEMPTS; i++) {
      db.run("PRAGMA journal_mode = DELETE");
      db.run("BEGIN EXCLUSIVE");
      // A command may have opened it in between, and begun another log.
      if (!fs.existsSync(`${path}-wal`)) return db;
      db.run("ROLLBACK");
    }
    throw inUse(path);
  } catch (error) {
    closeNow(db);
    if (isDamage(error)) return undefined;
    throw isBusy(error) ? inUse(path) : error;
  }
}

const inUse = (path: string): OperatorError =>
  new OperatorError(`another command is using ${path}: wait until it has ended, then restore`);

const asideName = (path: string, nowMs: number): string => {
  const name = basename(path).replace(/\.(db|sqlite3?)$/, "");
  return join(dirname(absolutePath(path)), `${name}-before-restore-${compactTime(nowMs)}.db`);
};

/** Keeps the old file under a second name, which is a hard link where the file system has them. */
function keepAside(path: string, nowMs: number): string {
  for (let ms = nowMs; ; ms++) {
    const aside = asideName(path, ms);
    try {
      fs.linkSync(path, aside);
      return aside;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      if (!isWithoutLinks(error)) throw error;
      copyAside(path, aside);
      return aside;
    }
  }
}

/** Copies the old file, which is never closed: SQLite would lose its locks on it. */
function copyAside(path: string, aside: string): void {
  const from = openForGood(path);
  if (from === undefined) throw new Error(`cannot read ${path}`);
  const to = fs.openSync(aside, "wx", OWNER_ONLY);
  try {
    copyBytes(from, to);
  } catch (error) {
    fs.rmSync(aside, { force: true });
    throw error;
  } finally {
    fs.closeSync(to);
  }
}

/** A sound database has none left by then. */
function moveSidecars(path: string, aside: string): void {
  for (const end of SIDECARS) if (fs.existsSync(path + end)) fs.renameSync(path + end, aside + end);
}
