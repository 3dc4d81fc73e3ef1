import type { Database } from "bun:sqlite";
import { StoreUnavailable } from "../../ports/store.ts";
import { asUnavailable, attempt, attemptCommit, isBusy, isSyncFailure, reasonOf } from "../sql/attempt.ts";
import { setBusyTimeout } from "../sql/pragmas.ts";
import { carryOutAll, effectOf, prepareWriter } from "../tables/all-writes.ts";
import type { Write } from "../tables/write.ts";
import { raiseGeneration } from "../wal/generation.ts";
import type { NoteCommit } from "../wal/version.ts";

/** The outcome of a write as plain data: the class of an error would be lost on the way to another thread. */
export type WriteOutcome =
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "unavailable"; readonly message: string; readonly changed: "nothing" | "unknown" }
  | { readonly kind: "failed"; readonly message: string };

/** The outcomes of writes that were handed over together. When all are done, they are the mere results. */
export type WriteOutcomes =
  | { readonly kind: "all_done"; readonly outcomes: readonly unknown[] }
  | { readonly kind: "mixed"; readonly outcomes: readonly WriteOutcome[] };

export const sameForAll = (writes: readonly Write[], outcome: WriteOutcome): WriteOutcomes => ({
  kind: "mixed",
  outcomes: writes.map(() => outcome),
});

/** Another process held the write lock all the time, so nothing was tried. */
export interface Locked {
  readonly kind: "locked";
  readonly message: string;
}

/** Waits for another process's lock until the deadline. */
export type WriteTogether = (writes: readonly Write[], deadlineMs?: number) => WriteOutcomes | Locked;

export interface GroupCommitParts {
  readonly noteCommit: NoteCommit;
  /** Returns whether there may have been a checkpoint since the last commit, so that the next one may begin a log. */
  readonly wasCheckpointed?: () => boolean;
  /** A commit could not be synced: no more may be tried, until the database was opened again. */
  readonly onSyncFailure?: (error: unknown) => void;
}

/** For this long another process's lock is polled, at this interval, before SQLite's own wait begins. */
const SOON_MS = 100;
const LOOK_INTERVAL_MS = 0.3;
/** Memory that nobody changes, to wait on. */
const NOTHING = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Group commit: writes that wait together are one transaction, which is on disk when this returns. If one
 * of them fails, each is tried alone, so that it does no harm to the others.
 */
export function groupCommit(
  db: Database,
  { noteCommit, wasCheckpointed = () => true, onSyncFailure }: GroupCommitParts,
): WriteTogether {
  const writer = prepareWriter(db);
  const beginStatement = db.prepare("BEGIN IMMEDIATE");
  const commitStatement = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  const commit = (): void => attemptCommit(() => commitStatement.run());

  /** Sets no timeout at first: the lock is nearly always free, and setting one is a statement of its own. */
  function begin(deadlineMs: number): void {
    try {
      beginSoon(deadlineMs);
    } catch (error) {
      const waitMs = Math.ceil(deadlineMs - performance.now());
      if (!isBusy(error) || waitMs <= 0) throw error;
      setBusyTimeout(db, waitMs);
      try {
        beginStatement.run();
      } finally {
        setBusyTimeout(db, 0);
      }
    }
  }

  /** An import holds the lock for some milliseconds, then releases it for as long: SQLite's own waits would miss that. */
  function beginSoon(deadlineMs: number): void {
    const endMs = Math.min(deadlineMs, performance.now() + SOON_MS);
    for (;;) {
      try {
        beginStatement.run();
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= endMs) throw error;
        // Bun.sleepSync() would not wait at all for less than a millisecond.
        Atomics.wait(NOTHING, 0, 0, LOOK_INTERVAL_MS);
      }
    }
  }

  function transact(writes: readonly Write[]): unknown[] {
    try {
      if (wasCheckpointed()) raiseGeneration(db);
      const results = carryOutAll(writer, writes);
      commit();
      return results;
    } catch (error) {
      // A disk that is full, for one, makes SQLite roll back by itself.
      if (db.inTransaction) rollback.run();
      throw error;
    }
  }

  const noted = (writes: readonly Write[]): unknown[] => noteCommit(effectOf(writes), () => transact(writes));

  function outcomeOf(error: unknown): WriteOutcome {
    const message = reasonOf(error);
    if (isSyncFailure(error)) onSyncFailure?.(error);
    return error instanceof StoreUnavailable
      ? { kind: "unavailable", message, changed: error.changed }
      : { kind: "failed", message };
  }

  function tryEachAlone(writes: readonly Write[], deadlineMs: number): WriteOutcome[] {
    let syncFailure: WriteOutcome | undefined;
    return writes.map((write) => {
      if (syncFailure) return syncFailure;
      try {
        attempt(() => begin(deadlineMs));
        return { kind: "done", result: attempt(() => noted([write]))[0] };
      } catch (error) {
        if (isSyncFailure(error)) syncFailure = { kind: "unavailable", message: reasonOf(error), changed: "nothing" };
        return outcomeOf(error);
      }
    });
  }

  return (writes, deadlineMs = 0) => {
    try {
      begin(deadlineMs);
    } catch (error) {
      if (isBusy(error)) return { kind: "locked", message: reasonOf(error) };
      return sameForAll(writes, outcomeOf(asUnavailable(error)));
    }
    try {
      return { kind: "all_done", outcomes: attempt(() => noted(writes)) };
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome.kind === "unavailable" || writes.length === 1) return sameForAll(writes, outcome);
      return { kind: "mixed", outcomes: tryEachAlone(writes, deadlineMs) };
    }
  };
}
