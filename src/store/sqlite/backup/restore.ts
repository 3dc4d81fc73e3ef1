import type { Database } from "bun:sqlite";
import * as fs from "node:fs";
import { dirname } from "node:path";
import { OperatorError } from "../../../base/operator-error.ts";
import { actAs, actAsRoot, actingAs, isRoot, type SystemUser } from "../../../base/system/acting-user.ts";
import { type Check, type CheckResult, runChecks } from "../../../domain/checkup/checkup.ts";
import { type Authorship, entryOfStore } from "../../../domain/journal.ts";
import { syncFile } from "../../files/files.ts";
import { beginFile, type PartialFile } from "../../files/partial-file.ts";
import { SQLITE_MIGRATIONS } from "../../migrations/sqlite/index.ts";
import { newestOf, type SchemaState, schemaState } from "../../schema/migrate.ts";
import { JOURNAL } from "../../sql/journal-rows.ts";
import { CONSOLE_TABLES } from "../../sql/session-rows.ts";
import { journalAppender } from "../../sql/tables/journal.ts";
import { absolutePath } from "../../urls/database-url.ts";
import { damageChecks, references, ruleChecks } from "../checkup.ts";
import { LOCK_TIMEOUTS, openReadOnly } from "../file/database.ts";
import { isSameFile } from "../file/identity.ts";
import { makeFolder, removeFolders } from "../file/new-file.ts";
import { realPathOf } from "../file/real-path.ts";
import { replaceFile, setLostLogAside } from "../file/replace.ts";
import { lockForServing } from "../file/serving-lock.ts";
import { appliedMigrations } from "../schema/migration-target.ts";
import { reasonOf } from "../sql/attempt.ts";
import { connect } from "../sql/connect.ts";
import { SQLITE } from "../sql/dialect.ts";
import { hasTable } from "../sql/statements.ts";
import { performer } from "../sql/work.ts";
import { dropNameIndex } from "../tables/name-index.ts";
import { refuseForeignWal } from "../wal/check.ts";
import { type CopyingOptions, copyInto, nameOfUser, refuseUnableToActAs } from "./backup.ts";

export interface RestoreOptions extends CopyingOptions {
  /** The author of the entry in the journal of the restored store. */
  readonly authorship: Authorship;
  /** Restores also rows that break the rules of the store, but never a damaged file. */
  readonly isForced: boolean;
}

export type Restored = Awaited<ReturnType<typeof restoreSqlite>>;

/**
 * Puts a checked copy of a backup in the place of a database, which is kept aside. A process that is killed meanwhile
 * leaves the one or the other. Nobody may serve the database or use it otherwise. Fails with an OperatorError.
 */
export async function restoreSqlite(
  givenPath: string,
  file: string,
  { authorship, isForced, ...options }: RestoreOptions,
  timeouts = LOCK_TIMEOUTS,
) {
  const path = realPathOf(givenPath);
  const owner = ownerToActAs(givenPath, path);
  refuseUnfit(path, file);
  const isLockable = fs.existsSync(path);
  const unlock = isLockable
    ? actingAs(owner, () => lockForServing(path, timeouts.servingMs, "restore").unlock)
    : () => {};
  let folders: string[] = [];
  try {
    const state = await check(file, isForced);
    folders = actingAs(owner, () => makeFolder(dirname(absolutePath(path))));
    const isThere = fs.existsSync(path);
    using partial = actingAs(owner, () => beginFile(path, { mayReplace: () => isThere }));
    // The backup may be one that only root can read; all else happens with the rights of the owner.
    await copyInto(partial, { path: file, isReadOnly: true, owner }, options);
    if (owner) actAs(owner);
    const isJournaled = adapt(partial.path, authorship, file);
    const aside = putInPlace(path, partial, authorship.atMs, timeouts.openMs);
    const needed = newestOf(SQLITE_MIGRATIONS);
    return {
      database: absolutePath(path),
      /** The path of the former database, which is kept. */
      aside,
      /** The schema of the restored database, and the one that this version needs. */
      schema: { number: state.number, isCurrent: state.kind !== "older", needed },
      /** False if the schema is too old to have a journal. */
      isJournaled,
    };
  } catch (error) {
    removeFolders(folders);
    if (error instanceof OperatorError || (options.signal?.aborted && error === options.signal.reason)) throw error;
    throw new OperatorError(`cannot restore ${file}: ${reasonOf(error)}. ${absolutePath(path)} is as it was`);
  } finally {
    unlock();
    if (owner) actAsRoot();
  }
}

/**
 * Returns the user of the service, who owns the database or its folder, if it is root who restores. Nobody else may own
 * a folder or a link on the way, and so lead root to another file. Fails with an OperatorError.
 */
function ownerToActAs(givenPath: string, path: string): SystemUser | undefined {
  if (!isRoot()) return undefined;
  const [owner, ...others] = [
    ownerOf(path),
    ...[path, givenPath].map((file) => ownerOf(existingFolder(dirname(absolutePath(file))))),
    ownerOf(givenPath),
  ].filter((found) => found !== undefined) as [PlaceOwner, ...PlaceOwner[]];
  const other = others.find(({ uid }) => uid !== 0 && uid !== owner.uid);
  if (other)
    throw new OperatorError(
      `${owner.place} belongs to ${nameOfUser(owner.uid)}, but ${other.place} to ${nameOfUser(other.uid)}: give both to the user of the service with chown, then restore`,
    );
  return owner.uid === 0 ? undefined : refuseUnableToActAs(owner);
}

type PlaceOwner = SystemUser & { readonly place: string };

/** Returns the owner of a link itself, not of what it leads to. */
function ownerOf(place: string): PlaceOwner | undefined {
  const stats = fs.lstatSync(place, { throwIfNoEntry: false });
  return stats && { place, uid: stats.uid, gid: stats.gid };
}

/** Returns the real path of a folder, or of the nearest one above it that exists. */
const existingFolder = (folder: string): string =>
  fs.existsSync(folder) ? fs.realpathSync(folder) : existingFolder(dirname(folder));

function refuseUnfit(path: string, file: string): void {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new OperatorError(`there is no file ${file}`, { kind: "name_backup" });
  if (!stats.isFile()) throw new OperatorError(`${file} is not a file: name a backup`);
  if (isSameFile(fs.statSync(path, { throwIfNoEntry: false }), stats))
    throw new OperatorError(`${file} is the database itself: name a backup of it`);
  refuseForeignWal(file);
}

/** Checks as doctor does that a backup is whole and keeps the rules. Returns the state of its schema. */
async function check(file: string, isForced: boolean): Promise<SchemaState & { number: number }> {
  using db = openReadOnly(file);
  for (const { finding } of await problemsIn(damageChecks(() => db)))
    throw new OperatorError(`${file} cannot be restored: ${finding.detail}. Choose another backup`);
  const state = stateOf(db, file);
  const checks = state.kind === "older" ? [references(() => db)] : ruleChecks(() => db);
  const broken = isForced ? [] : await problemsIn(checks);
  if (broken.length === 0) return state;
  const list = broken.map(({ name, finding }) => `${name}: ${finding.detail}`).join("; ");
  throw new OperatorError(`${file} is not sound (${list})`, { kind: "force_restore" });
}

function stateOf(db: Database, file: string): SchemaState & { number: number } {
  let state: SchemaState;
  try {
    state = schemaState(appliedMigrations(db), SQLITE_MIGRATIONS);
  } catch (error) {
    throw new OperatorError(`${file} cannot be restored by this version: ${reasonOf(error)}`);
  }
  if (state.kind === "empty") throw new OperatorError(`${file} is empty: choose another backup`);
  return state;
}

const problemsIn = async (checks: readonly Check[]): Promise<CheckResult[]> =>
  (await Array.fromAsync(runChecks(checks))).filter(({ finding }) => finding.kind === "problem");

/**
 * Changes the copy before it is published, so that all of it happens or nothing. Sessions of the console are deleted:
 * they may have been signed out since the backup. The index of names is removed, as nobody has compared it with the names:
 * the next search makes it again. Returns whether the journal has an entry.
 */
function adapt(partial: string, authorship: Authorship, file: string): boolean {
  using db = connect(partial, { readwrite: true, safeIntegers: true, strict: true });
  db.run("PRAGMA journal_mode = OFF");
  for (const { name } of CONSOLE_TABLES) if (hasTable(db, name)) db.run(`DELETE FROM ${name}`);
  const perform = performer(db);
  perform(dropNameIndex());
  if (!hasTable(db, JOURNAL.name)) return false;
  const entry = entryOfStore("restore", authorship, { after: { file } });
  perform(journalAppender(SQLITE)(entry));
  return true;
}

function putInPlace(path: string, partial: PartialFile, nowMs: number, timeoutMs: number): string | undefined {
  if (fs.existsSync(path)) {
    syncFile(partial.path);
    return replaceFile(path, partial.path, nowMs, timeoutMs);
  }
  setLostLogAside(path, nowMs);
  // Fails if a start has made one meanwhile.
  partial.publish();
  return undefined;
}
