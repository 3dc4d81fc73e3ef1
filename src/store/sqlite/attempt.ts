import type { Database } from "bun:sqlite";
import { StoreUnavailable } from "../store.ts";

const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|NOTADB|CORRUPT|NOMEM|PROTOCOL|AUTH|PERM)/;

/** SQLite's name for an error; empty for an error that is not SQLite's. */
export const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
};

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Runs database work. What SQLite cannot do now is thrown as StoreUnavailable. */
export function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (UNAVAILABLE.test(codeOf(error)))
      throw new StoreUnavailable(`${codeOf(error)}: ${reasonOf(error)}`, { cause: error });
    throw error;
  }
}

/** Runs work in a transaction that may write: when this returns all of it is on disk, and when it throws nothing is. */
export const transact = <T>(db: Database, work: () => T): T => attempt(() => db.transaction(work).immediate());
