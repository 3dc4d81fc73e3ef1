import { Database } from "bun:sqlite";
import { OperatorError } from "../../domain/fault.ts";
import { isCurrent, type MigrationTarget, migrate } from "../migrate.ts";
import { SQLITE_MIGRATIONS } from "../migrations/sqlite/index.ts";
import { StoreUnavailable } from "../store.ts";
import { migrationTarget } from "./migration-target.ts";

/** "ANST" in ASCII: tells our files from those of other programs. */
const APPLICATION_ID = 0x414e5354;

/** Enough for other processes to finish their own start, or their migration. */
const OPENING_PATIENCE_MS = 5_000;
/** Enough for a service that is being replaced to be gone. */
const SERVING_PATIENCE_MS = 1_000;
/** How long a write waits for another process to finish its own. */
const WRITING_PATIENCE_MS = 2_000;
const RETRY_EVERY_MS = 10;

/** Enough for all of a small store, and for the upper levels of every index of a large one. */
const CACHE_KB = 16_000;

/** Makes sure that there is a file, or a place for one. Fails with an OperatorError. */
export async function preparePath(path: string, options: { create: boolean }): Promise<void> {
  if (Bun.file(path).size > 0 || (await Bun.file(path).exists())) return;
  if (!options.create) throw new OperatorError(`there is no database at ${path}: check DATABASE_URL`);
  const { dirname } = await import("node:path");
  await makeFolder(dirname(path));
}

/**
 * Opens a database whose schema is up to date. A migration happens only under the lock for serving,
 * so never under a service that runs; one that serves keeps the lock. Fails with an OperatorError.
 */
export async function openAlone(path: string, serve: boolean): Promise<{ db: Database; unlock: () => void }> {
  let unlock = serve ? lockForServing(path, SERVING_PATIENCE_MS) : () => {};
  let db: Database | undefined;
  try {
    db = openFile(path, { create: true });
    db.run(`PRAGMA cache_size = -${CACHE_KB}`);
    const target = migrationTarget(db);
    if (!serve) unlock = await lockToMigrate(path, target);
    await migrate(target, SQLITE_MIGRATIONS);
    if (!serve) unlock();
    return { db, unlock };
  } catch (error) {
    db?.close();
    unlock();
    if (error instanceof OperatorError) throw new OperatorError(`${path}: ${error.message}`);
    throw new OperatorError(`cannot open the database ${path}: ${reasonOf(error)}`);
  }
}

/** Takes the lock when there is something to migrate, unless another process does it meanwhile. */
async function lockToMigrate(path: string, target: MigrationTarget): Promise<() => void> {
  const deadlineMs = performance.now() + OPENING_PATIENCE_MS;
  while (!(await isCurrent(target, SQLITE_MIGRATIONS))) {
    try {
      return lockForServing(path, 0);
    } catch (error) {
      if (!(error instanceof AlreadyServed) || performance.now() >= deadlineMs) throw error;
    }
    await Bun.sleep(RETRY_EVERY_MS);
  }
  return () => {};
}

/**
 * Another connection to a database that was opened already, for a thread that may wait for locks. It
 * never makes a file: SQLite would take the log of one that was moved away for that of the new one.
 */
export function openToWrite(path: string): Database {
  const db = openFile(path, { create: false });
  db.run(`PRAGMA busy_timeout = ${WRITING_PATIENCE_MS}`);
  return db;
}

function openFile(path: string, { create }: { create: boolean }): Database {
  const db = new Database(path, { strict: true, safeIntegers: true, readwrite: true, create });
  try {
    db.run(`PRAGMA busy_timeout = ${OPENING_PATIENCE_MS}`);
    claim(db, path);
    db.run("PRAGMA journal_mode = WAL");
    db.run("PRAGMA synchronous = FULL");
    db.run("PRAGMA foreign_keys = ON");
    db.run("PRAGMA trusted_schema = OFF");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

class AlreadyServed extends OperatorError {}

/**
 * Makes sure that one process at a time serves this file, since the counters live in it: a lock that
 * the kernel drops with the process, however it ends. Returns how to let go of it.
 */
export function lockForServing(path: string, patienceMs: number): () => void {
  let lock: Database | undefined;
  try {
    lock = new Database(`${path}-serving`, { create: true, readwrite: true });
    lock.run(`PRAGMA busy_timeout = ${patienceMs}`);
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("BEGIN EXCLUSIVE");
  } catch (error) {
    lock?.close();
    if (codeOf(error).startsWith("SQLITE_BUSY"))
      throw new AlreadyServed(`another process serves ${path} already: stop it first, or set another DATABASE_URL`);
    throw new OperatorError(`cannot lock ${path} with the file ${path}-serving: ${reasonOf(error)}`);
  }
  return () => lock?.close();
}

async function makeFolder(folder: string): Promise<void> {
  const { mkdirSync } = await import("node:fs");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new OperatorError(`cannot make the folder ${folder}: ${reasonOf(error)}`);
  }
}

/** Marks a new file as ours, and refuses one that is another program's. */
function claim(db: Database, path: string): void {
  const idOf = () => Number((db.query("PRAGMA application_id").get() as { application_id: bigint }).application_id);
  if (idOf() === APPLICATION_ID) return;
  // Under a lock: another process may be at the same.
  db.transaction(() => {
    const id = idOf();
    if (id === APPLICATION_ID) return;
    const tables = db.query("SELECT count(*) AS count FROM sqlite_schema").get() as { count: bigint };
    if (id !== 0 || tables.count > 0n)
      throw new OperatorError(
        `this is the database of another program: set DATABASE_URL to a file of its own, not ${path}`,
      );
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  }).immediate();
}

const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|NOTADB|CORRUPT|NOMEM|PROTOCOL|AUTH|PERM)/;

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Runs one piece of database work; what SQLite cannot do now becomes StoreUnavailable. */
export function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (UNAVAILABLE.test(codeOf(error)))
      throw new StoreUnavailable(`${codeOf(error)}: ${reasonOf(error)}`, { cause: error });
    throw error;
  }
}

/** Runs work in a transaction that can write: all of it is on disk when this returns, or nothing. */
export const transact = <T>(db: Database, work: () => T): T => attempt(() => db.transaction(work).immediate());
