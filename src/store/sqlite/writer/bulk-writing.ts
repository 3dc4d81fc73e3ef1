import type { Database } from "bun:sqlite";
import { OTHERS_STAY_MS } from "../../../domain/stock/import.ts";
import { syncFile } from "../../files/files.ts";
import { attempt } from "../sql/attempt.ts";
import { setBusyTimeout } from "../sql/pragmas.ts";
import { followOthers } from "../wal/version.ts";
import { checkpointsOf } from "./checkpoints.ts";

/** Longer than for a single write, since a service that is busy may have the lock for most of the time. */
const TIMEOUT_MS = 30_000;
/** Holds the pages that batches of new animals change, so that they need not be read again for each. */
const CACHE_KB = 16_000;

/** In pages: batches change the same ones again and again, and each checkpoint writes them once. */
const CHECKPOINT_AT_ALONE = 8_000;
/** In pages: who waits for a gap between readers keeps others from writing. */
const RESTART_AT = 32_000;
const LOG_LIMIT_BYTES = 128 * 1024 * 1024;
/** Beside others, the log stays so short that a service has no cause for a checkpoint: its writes would wait for it. */
const CHECKPOINT_AT_BESIDE_OTHERS = 1_000;

/**
 * Makes a connection ready for any number of large writes. After each of them, the log is put on disk, while others have
 * the lock already, and kept from growing without end.
 */
export function bulkWriting(db: Database): { afterCommit(): void } {
  setBusyTimeout(db, TIMEOUT_MS);
  // A commit goes to the log without waiting for the disk, so that others need not either.
  db.run("PRAGMA synchronous = NORMAL");
  db.run(`PRAGMA cache_size = -${CACHE_KB}`);
  const checkpoints = (checkpointAt: number) =>
    checkpointsOf(db, () => {}, {
      checkpointAt,
      restartAt: RESTART_AT,
      logLimitBytes: LOG_LIMIT_BYTES,
      busyTimeoutMs: TIMEOUT_MS,
    });
  const [besideOthers, alone] = [checkpoints(CHECKPOINT_AT_BESIDE_OTHERS), checkpoints(CHECKPOINT_AT_ALONE)];
  const haveOthersWritten = followOthers(db);
  let othersWroteAtMs = Number.NEGATIVE_INFINITY;
  return {
    afterCommit() {
      attempt(() => syncFile(`${db.filename}-wal`));
      const nowMs = performance.now();
      if (haveOthersWritten()) othersWroteAtMs = nowMs;
      const { afterCommit } = nowMs - othersWroteAtMs > OTHERS_STAY_MS ? alone : besideOthers;
      attempt(() => afterCommit(Number.POSITIVE_INFINITY));
    },
  };
}
