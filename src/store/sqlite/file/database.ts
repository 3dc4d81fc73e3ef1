import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { OperatorError } from "../../../base/operator-error.ts";
import { SQLITE_MIGRATIONS } from "../../migrations/sqlite/index.ts";
import {
  COPIES_INTO,
  emptyDatabase,
  isWorkDue,
  MIGRATES,
  migrate,
  newestOf,
  ONLY_CREATES,
  type SchemaRules,
  type SchemaState,
  schemaState,
} from "../../schema/migrate.ts";
import { COPIES_TABLE, SELECT_UNFINISHED_COPY, unfinishedCopy } from "../../sql/transfer.ts";
import { absolutePath } from "../../urls/database-url.ts";
import { UnusableDatabase } from "../../urls/unusable-database.ts";
import { appliedMigrations, migrationTarget } from "../schema/migration-target.ts";
import { refuseUnknownParts } from "../schema/unknown-parts.ts";
import { isBusy, reasonOf } from "../sql/attempt.ts";
import { connect } from "../sql/connect.ts";
import { COMMAND_TIMEOUT_MS, keepLogFile, setBusyTimeout } from "../sql/pragmas.ts";
import { hasTable } from "../sql/statements.ts";
import { refuseForeignWal } from "../wal/check.ts";
import { beginGeneration } from "../wal/generation.ts";
import { damaged, isDamage, refuseDamage } from "./damage.ts";
import { refuseUnusable } from "./file-access.ts";
import { refuseMoved } from "./moved.ts";
import { realPathOf } from "./real-path.ts";
import { lockForServing } from "./serving-lock.ts";

/** "ANST" in ASCII: distinguishes our files from those of other programs. */
export const APPLICATION_ID = 0x414e5354;

/** Limits on waiting for locks of other processes. */
export const LOCK_TIMEOUTS = {
  /** Lets another process finish its start or its migration. */
  openMs: COMMAND_TIMEOUT_MS,
  /** Lets a service that is being replaced exit. */
  servingMs: 1_000,
  /** Lets another process finish its write. */
  writeMs: 2_000,
};

export type LockTimeouts = typeof LOCK_TIMEOUTS;

/**
 * Holds the upper levels of every index of a large store. Each commit empties it, also that of the counters twice a second:
 * more would be filled and thrown away, which made an animal out of 10 million a twentieth slower.
 */
const CACHE_KB = 4_000;

/**
 * Checks that there is a file whose log belongs to it, or makes an empty one. Returns the real path, which is the only
 * one to use from here on, because the log is beside it. Fails with an OperatorError.
 */
export async function preparePath(path: string, { create }: { create: boolean }): Promise<string> {
  const realPath = realPathOf(path);
  refuseUnusable(realPath);
  refuseForeignWal(realPath);
  if (Bun.file(realPath).size > 0 || (await Bun.file(realPath).exists())) return realPath;
  if (!create) throw new UnusableDatabase(`there is no database at ${absolutePath(path)}`, { kind: "file_missing" });
  // Loaded only for a new database: loading takes longer than opening an existing file.
  (await import("./new-file.ts")).createFile(realPath);
  return realPath;
}

/**
 * Opens a database for the one process that may serve it, and migrates it if it may. Fails with an OperatorError, for a
 * database that is served already with what to do `then`, once that service is stopped.
 */
export async function openLocked(
  givenPath: string,
  rules: SchemaRules = MIGRATES,
  timeouts = LOCK_TIMEOUTS,
  then?: string,
) {
  const path = await preparePath(givenPath, { create: rules.mayCreate });
  using onFailure = new DisposableStack();
  const lock = lockForServing(path, timeouts.servingMs, then);
  onFailure.defer(lock.unlock);
  const db = await openWith(path, rules, timeouts, (opened, { kind }) =>
    refuseDamage(opened, path, { isNewer: kind === "newer" }),
  );
  onFailure.move();
  return { path, db, ...lock };
}

/**
 * Opens a database beside the process that serves it, if one does: so it is never migrated, only created, which is
 * one transaction. Fails with an OperatorError.
 */
export async function openShared(
  givenPath: string,
  rules: SchemaRules = ONLY_CREATES,
  timeouts = LOCK_TIMEOUTS,
): Promise<Database> {
  const path = await preparePath(givenPath, { create: rules.mayCreate });
  const db = await openWith(path, rules, timeouts, () => {});
  setBusyTimeout(db, timeouts.writeMs);
  return db;
}

async function openWith(
  path: string,
  rules: SchemaRules,
  timeouts: LockTimeouts,
  check: (db: Database, state: SchemaState) => void,
): Promise<Database> {
  let db: Database | undefined;
  try {
    db = openFile(path, timeouts.openMs, { create: rules.mayCreate });
    db.run(`PRAGMA cache_size = -${CACHE_KB}`);
    check(db, await bringUpToDate(db, rules));
    return db;
  } catch (error) {
    db?.close();
    throw openingFailure(path, error);
  }
}

/** Words why a database could not be opened. */
export function openingFailure(path: string, error: unknown): OperatorError {
  const name = absolutePath(path);
  if (error instanceof OperatorError) return error.of(name);
  if (isDamage(error)) return damaged(reasonOf(error)).of(name);
  refuseUnusable(path, "write");
  return new OperatorError(`cannot open the database ${name}: ${reasonOf(error)}`);
}

/** Opens a database as it is, in order to look at it. */
export function openReadOnly(path: string, timeoutMs = COMMAND_TIMEOUT_MS): Database {
  const db = connect(path, { readonly: true, safeIntegers: true, strict: true });
  setBusyTimeout(db, timeoutMs);
  return db;
}

async function bringUpToDate(db: Database, rules: SchemaRules): Promise<SchemaState> {
  refuseUnknownParts(db);
  const state = schemaState(appliedMigrations(db), SQLITE_MIGRATIONS);
  if (rules !== COPIES_INTO) refuseUnfinishedCopy(db);
  if (isWorkDue(state, rules, newestOf(SQLITE_MIGRATIONS))) await migrate(migrationTarget(db), SQLITE_MIGRATIONS);
  return state;
}

/** A database that is the target of an unfinished copy would assign ids twice. */
function refuseUnfinishedCopy(db: Database): void {
  if (hasTable(db, COPIES_TABLE) && db.query(SELECT_UNFINISHED_COPY).get() !== null) throw unfinishedCopy();
}

/**
 * Another connection to a database that is open already, for a thread that may wait for locks. It never
 * creates a file: SQLite would apply the log of a file that was moved away to the new one.
 */
export function openForWriting(path: string, { openMs, writeMs } = LOCK_TIMEOUTS): Database {
  const db = openFile(path, openMs, { create: false });
  setBusyTimeout(db, writeMs);
  return db;
}

/** Opens another connection for an event loop, which must never wait. */
export function openForReading(path: string): Database {
  const db = openFile(path, 0, { create: false });
  restrictToReading(db);
  return db;
}

/** Makes a connection read-only, and keeps it from waiting for locks, because an event loop depends on it. */
export function restrictToReading(db: Database): void {
  db.run(`PRAGMA cache_size = -${CACHE_KB}`);
  setBusyTimeout(db, 0);
  db.run("PRAGMA query_only = ON");
}

function openFile(path: string, openMs: number, { create }: { create: boolean }): Database {
  using onFailure = new DisposableStack();
  const hadJournal = existsSync(`${path}-journal`);
  const db = onFailure.use(connect(path, { strict: true, safeIntegers: true, readwrite: true, create }));
  setBusyTimeout(db, openMs);
  claim(db, path, create);
  refuseMoved(db, path);
  if (hadJournal) leaveWal(db);
  useWal(db, openMs);
  db.run("PRAGMA synchronous = FULL");
  db.run("PRAGMA foreign_keys = ON");
  keepLogFile(db);
  onFailure.move();
  return db;
}

/**
 * After a power cut, the journal of the transaction that marked the file as one with a log may be there beside that log.
 * SQLite then takes the mark back, but uses the log all the same, and would not mark the file again: to the watch on the
 * file it would look like a backup. So it is marked anew, unless another process has it open, and has done so.
 */
function leaveWal(db: Database): void {
  try {
    db.run("PRAGMA journal_mode = DELETE");
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

/** SQLite refuses some of the processes that open a new file at once, without waiting, since they wait for each other. */
function useWal(db: Database, openMs: number): void {
  for (const endMs = performance.now() + openMs; ; Bun.sleepSync(5))
    try {
      return void db.run("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (!isBusy(error) || performance.now() >= endMs) throw error;
    }
}

/** Marks a new file as ours, and refuses a file of another program, or an empty one that is not to become a database. */
function claim(db: Database, path: string, create: boolean): void {
  if (isOurs(db)) return;
  if (!create) {
    refuseForeign(db, path);
    throw emptyDatabase();
  }
  // Checked again under a lock: another process may be claiming the same file.
  db.transaction(() => {
    refuseForeign(db, path);
    if (isOurs(db)) return;
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    beginGeneration(db);
  }).immediate();
}

const applicationId = (db: Database): number =>
  Number((db.query("PRAGMA application_id").get() as { application_id: bigint }).application_id);

/** Returns true if a file is marked as ours. It only reads. */
export const isOurs = (db: Database): boolean => applicationId(db) === APPLICATION_ID;

/** Refuses a file that is neither ours nor empty, with an OperatorError. It only reads. */
export function refuseForeign(db: Database, path: string): void {
  if (isOurs(db)) return;
  const isEmpty = db.query("SELECT 1 FROM sqlite_schema").get() === null;
  if (applicationId(db) !== 0 || !isEmpty)
    throw new UnusableDatabase("this is the database of another program", {
      kind: "other_program",
      path: absolutePath(path),
    });
}
