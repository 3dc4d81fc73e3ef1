import type { Database } from "bun:sqlite";
import { StoreUnavailable } from "../../ports/store.ts";

const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|NOTADB|CORRUPT|NOMEM|PROTOCOL|AUTH|PERM)/;

/**
 * These failures of a COMMIT are certain to have changed nothing: a lock was not obtained, or the disk was full before
 * the last frame was complete. Any other may come after that, and then SQLite's recovery finds the transaction.
 */
const CHANGED_NOTHING = /^SQLITE_(BUSY|FULL)/;

/** After these nobody knows what is on disk: the kernel forgets what it could not write, and the next sync succeeds. */
const NOT_SYNCED = /^SQLITE_IOERR_(DIR_)?FSYNC/;

/** SQLite's name for an error; empty for an error that is not SQLite's. */
export const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
};

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const isBusy = (error: unknown): boolean => codeOf(error).startsWith("SQLITE_BUSY");

/** Returns true if an error, or its cause, is a failed sync. */
export const isSyncFailure = (error: unknown): boolean =>
  NOT_SYNCED.test(codeOf(error)) || NOT_SYNCED.test(codeOf((error as { cause?: unknown } | null)?.cause));

/** Runs database work that changes nothing by itself. What SQLite cannot do now is thrown as StoreUnavailable. */
export function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asUnavailable(error);
  }
}

/** Begins something before it is needed. A failure does no harm: the first use tries again, and reports it. */
export function tryEarly(work: () => unknown): void {
  try {
    work();
  } catch {}
}

/** Runs a COMMIT. A StoreUnavailable says whether the transaction may have been made all the same. */
export function attemptCommit(commit: () => unknown): void {
  try {
    commit();
  } catch (error) {
    throw asUnavailable(error, CHANGED_NOTHING.test(codeOf(error)) ? "nothing" : "unknown");
  }
}

/** Returns a StoreUnavailable if SQLite cannot do it now, and any other error as it is. */
export const asUnavailable = (error: unknown, changed: "nothing" | "unknown" = "nothing"): unknown =>
  UNAVAILABLE.test(codeOf(error))
    ? new StoreUnavailable(`${codeOf(error)}: ${reasonOf(error)}`, { cause: error, changed })
    : error;

/**
 * Runs work in a transaction that may write: when this returns, all of it is on disk. What is to be done under the lock
 * before the work and after the commit is done by `around`.
 */
export function transact<T>(db: Database, work: () => T, around = (run: () => T): T => run()): T {
  attempt(() => db.run("BEGIN IMMEDIATE"));
  try {
    return around(() => {
      const result = attempt(work);
      attemptCommit(() => db.run("COMMIT"));
      return result;
    });
  } finally {
    if (db.inTransaction) db.run("ROLLBACK");
  }
}
