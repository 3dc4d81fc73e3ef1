import type { Database } from "bun:sqlite";
import { OTHERS_STAY_MS } from "../../../domain/stock/import.ts";
import { syncFile } from "../../files/files.ts";
import { attempt } from "../sql/attempt.ts";
import { setBusyTimeout } from "../sql/pragmas.ts";
import { raiseBeforeCheckpoint } from "../wal/generation.ts";
import { followOthers } from "../wal/version.ts";
import { checkpointsOf } from "./checkpoints.ts";

/** Longer than for a single write, because a busy service may have the lock most of the time. */
const TIMEOUT_MS = 30_000;
/** Holds the pages that batches of new animals change, so that no batch has to read them again. */
const CACHE_KB = 16_000;

/** In pages. Batches change the same pages again and again, and each checkpoint writes them once. */
const CHECKPOINT_AT_ALONE = 8_000;
/** In pages. Beside a service the log stays so short that the service makes no checkpoint, for which its writes would wait. */
const CHECKPOINT_AT_BESIDE_OTHERS = 1_000;

/**
 * Prepares a connection for any number of large writes. After each of them, the log is synced, while others have the
 * lock already, and kept from growing without end.
 */
export function bulkWriting(db: Database): { afterCommit(): void } {
  setBusyTimeout(db, TIMEOUT_MS);
  // A commit goes to the log without waiting for the disk, so that others need not either.
  db.run("PRAGMA synchronous = NORMAL");
  db.run(`PRAGMA cache_size = -${CACHE_KB}`);
  const haveOthersWritten = followOthers(db);
  let othersWroteAtMs = Number.NEGATIVE_INFINITY;
  const { afterCommit } = checkpointsOf(db, () => raiseBeforeCheckpoint(db, (_, transaction) => transaction()), {
    checkpointAt() {
      const nowMs = performance.now();
      if (haveOthersWritten()) othersWroteAtMs = nowMs;
      return nowMs - othersWroteAtMs > OTHERS_STAY_MS ? CHECKPOINT_AT_ALONE : CHECKPOINT_AT_BESIDE_OTHERS;
    },
    // Waiting for a gap between readers keeps others from writing.
    restartAt: 32_000,
    logLimitBytes: 128 * 1024 * 1024,
    busyTimeoutMs: TIMEOUT_MS,
  });
  return {
    afterCommit() {
      attempt(() => syncFile(`${db.filename}-wal`));
      attempt(() => afterCommit(Number.POSITIVE_INFINITY));
    },
  };
}
