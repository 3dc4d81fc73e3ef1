import type { Database } from "bun:sqlite";
import { setBusyTimeout } from "../sql/pragmas.ts";

// A commit goes to the log. A checkpoint copies the log into the database file, after which the log can begin again.
// The writer makes it between two commits, so that a failure is noticed and no commit waits for it.

/** In pages, as in SQLite's own default. */
const CHECKPOINT_AT = 1_000;
/** In pages. Readers that take turns can keep a log from beginning again: past this, the writer waits for a gap. */
const RESTART_AT = 4 * CHECKPOINT_AT;
const RESTART_TIMEOUT_MS = 100;
/** Reading the length of the log takes 5 µs, too long for every commit. A write adds some pages to it. */
const LOOK_AFTER_WRITES = 50;
/** A log that has grown beyond this is cut off when it begins again; a shorter one is faster to write than a new one. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

interface Progress {
  readonly log: number;
  readonly checkpointed: number;
}

export interface Checkpoints {
  /** The length of the log, and how much of it is in the file, in pages. */
  progress(): Progress;
  /** To be called after each commit, with the number of its writes. Throws when a checkpoint was due and failed. */
  afterCommit(writes: number): void;
  /** Copies as much as readers allow. Throws when it fails. */
  run(): void;
}

export interface CheckpointOptions {
  /** In pages. */
  readonly checkpointAt?: number;
  readonly restartAt?: number;
  readonly logLimitBytes?: number;
  /** The connection's own timeout for locks, which a checkpoint replaces for a moment. */
  readonly busyTimeoutMs?: number;
}

/** Checkpoints never make readers wait. `checkBefore` is called before each: if it throws, nothing is written. */
export function checkpointsOf(db: Database, checkBefore: () => void, options: CheckpointOptions = {}): Checkpoints {
  const { checkpointAt = CHECKPOINT_AT, restartAt = RESTART_AT, logLimitBytes = LOG_LIMIT_BYTES } = options;
  db.run(`PRAGMA journal_size_limit = ${logLimitBytes}`);
  const prepare = (mode: string) =>
    db.prepare<{ log: bigint; checkpointed: bigint }, []>(`PRAGMA wal_checkpoint(${mode})`);
  const [noop, passive, restart] = [prepare("NOOP"), prepare("PASSIVE"), prepare("RESTART")];
  let dueAt = checkpointAt;
  let writesSinceLook = 0;

  function progress(): Progress {
    const row = noop.get();
    return { log: Number(row?.log), checkpointed: Number(row?.checkpointed) };
  }

  function runAndRestart(): void {
    setBusyTimeout(db, RESTART_TIMEOUT_MS);
    try {
      restart.get();
    } finally {
      setBusyTimeout(db, options.busyTimeoutMs ?? 0);
    }
  }

  return {
    progress,
    afterCommit(writes) {
      writesSinceLook += writes;
      if (writesSinceLook < LOOK_AFTER_WRITES) return;
      writesSinceLook = 0;
      const { log } = progress();
      // Shorter than it was at the last one: it has begun again.
      if (log < dueAt - checkpointAt) dueAt = checkpointAt;
      if (log < dueAt) return;
      // Set before it runs, so that one that fails is not tried again with every commit.
      dueAt = log + checkpointAt;
      checkBefore();
      if (log >= restartAt) runAndRestart();
      else passive.get();
    },
    run() {
      checkBefore();
      passive.get();
    },
  };
}
