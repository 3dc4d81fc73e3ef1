import type { Database } from "bun:sqlite";
import { StoreUnavailable } from "../store.ts";
import { attempt } from "./attempt.ts";
import type { Bookkeeping } from "./version.ts";
import { carryOut, isBookkeeping, type Write } from "./writer.ts";
import { prepareWriter } from "./writes/prepare.ts";

/** What a write came to. The class of an error would not survive the way to another thread. */
export type WriteOutcome =
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "unavailable"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

/** What writes came to that were handed over together: one object less for each when all were done. */
export type WriteOutcomes =
  | { readonly kind: "all_done"; readonly results: readonly unknown[] }
  | { readonly kind: "mixed"; readonly outcomes: readonly WriteOutcome[] };

export type WriteTogether = (writes: readonly Write[]) => WriteOutcomes;

/**
 * Group commit: writes that wait together are one transaction, which is on disk when this returns. If one
 * of them fails, each is tried alone, so that it does no harm to the others.
 */
export function groupCommit(db: Database, bookkeeping: Bookkeeping): WriteTogether {
  const writer = prepareWriter(db);
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commitStatement = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  const commit = (): void => void commitStatement.run();

  function transact(writes: readonly Write[]): unknown[] {
    begin.run();
    try {
      const results = writes.map((write) => carryOut(writer, write));
      if (writes.every(isBookkeeping)) bookkeeping(commit);
      else commit();
      return results;
    } finally {
      // A disk that is full, for one, makes SQLite roll back by itself.
      if (db.inTransaction) rollback.run();
    }
  }

  function tryAlone(write: Write): WriteOutcome {
    try {
      return { kind: "done", result: attempt(() => transact([write]))[0] };
    } catch (error) {
      return outcomeOf(error);
    }
  }

  return (writes) => {
    try {
      return { kind: "all_done", results: attempt(() => transact(writes)) };
    } catch (error) {
      const outcome = outcomeOf(error);
      const isShared = outcome.kind === "unavailable" || writes.length === 1;
      return { kind: "mixed", outcomes: isShared ? writes.map(() => outcome) : writes.map(tryAlone) };
    }
  };
}

const outcomeOf = (error: unknown): WriteOutcome => ({
  kind: error instanceof StoreUnavailable ? "unavailable" : "failed",
  message: error instanceof Error ? error.message : String(error),
});
