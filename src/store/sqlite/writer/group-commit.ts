import type { Database } from "bun:sqlite";
import { StoreUnavailable } from "../../ports/store.ts";
import { asUnavailable, attempt, attemptCommit, isBusy, isSyncFailure, reasonOf } from "../sql/attempt.ts";
import { setBusyTimeout } from "../sql/pragmas.ts";
import type { Write } from "../tables/write.ts";
import { carryOutAll, effectOf, prepareWriter } from "../tables/writer.ts";
import { raiseGeneration } from "../wal/generation.ts";
import type { NoteCommit } from "../wal/version.ts";

/** What a write came to. The class of an error would not survive the way to another thread. */
export type WriteOutcome =
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "unavailable"; readonly message: string; readonly changed: "nothing" | "unknown" }
  | { readonly kind: "failed"; readonly message: string };

/** What writes came to that were handed over together: one object less for each when all were done. */
export type WriteOutcomes =
  | { readonly kind: "all_done"; readonly results: readonly unknown[] }
  | { readonly kind: "mixed"; readonly outcomes: readonly WriteOutcome[] };

/** Another process held the write lock all the time: nothing was tried. */
export interface Locked {
  readonly kind: "locked";
  readonly message: string;
}

/** Until the deadline, another process's lock is waited for. */
export type WriteTogether = (writes: readonly Write[], deadlineMs?: number) => WriteOutcomes | Locked;

export interface GroupCommitParts {
  readonly noteCommit: NoteCommit;
  /** Whether there may have been a checkpoint since the last commit, so that the next one may begin a log. By default always. */
  readonly wasCheckpointed?: () => boolean;
  /** A commit could not be synced: no more may be tried, until the database was opened again. */
  readonly onSyncFailure?: (error: unknown) => void;
}

/** How long another process's lock is looked at again and again, and how often. */
const SOON_MS = 100;
const LOOK_INTERVAL_MS = 0.3;
/** Nobody ever changes it. */
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

  /** Without waiting first: the lock is nearly always free, and setting a timeout is a statement of its own. */
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

  /** An import holds the lock for some milliseconds, and lets go for as many: SQLite's own waits would miss that. */
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
    const all = (outcome: WriteOutcome): WriteOutcomes => ({ kind: "mixed", outcomes: writes.map(() => outcome) });
    try {
      begin(deadlineMs);
    } catch (error) {
      return isBusy(error) ? { kind: "locked", message: reasonOf(error) } : all(outcomeOf(asUnavailable(error)));
    }
    try {
      return { kind: "all_done", results: attempt(() => noted(writes)) };
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome.kind === "unavailable" || writes.length === 1) return all(outcome);
      return { kind: "mixed", outcomes: tryEachAlone(writes, deadlineMs) };
    }
  };
}
