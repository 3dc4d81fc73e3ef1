import type { Database } from "bun:sqlite";
import { setBusyTimeout } from "./pragmas.ts";

// A commit goes to the log. A checkpoint moves what is in the log to the database file, after which the log can begin
// again. The writer does it between two commits, so that a failure is noticed and nobody waits in a commit for it.

/** In pages. As many as SQLite's own default. */
const CHECKPOINT_AT = 1_000;
/** In pages. Readers that take turns can keep a log from beginning again: past this, the writer waits for a gap. */
const RESTART_AT = 4 * CHECKPOINT_AT;
const RESTART_TIMEOUT_MS = 100;
/** To look at the log after every commit would take 5 µs. A write adds some pages to it. */
const LOOK_AFTER_WRITES = 50;
/** A log that has grown beyond this is cut off when it begins again; a shorter one is faster to write than a new one. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

interface Progress {
  readonly log: number;
  readonly checkpointed: number;
}

export interface Checkpoints {
  /** How far the log and the checkpoints are, in pages. */
  progress(): Progress;
  /** To be called after each commit, with the number of its writes. Throws when a checkpoint was due and failed. */
  afterCommit(writes: number): void;
  /** As much as readers allow. Throws when it fails. */
  run(): void;
}

/** Readers are never made to wait. Before each of them something may be checked: if that throws, nothing is written. */
export function checkpointsOf(db: Database, checkBefore: () => void): Checkpoints {
  db.run(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
  const prepare = (mode: string) =>
    db.prepare<{ log: bigint; checkpointed: bigint }, []>(`PRAGMA wal_checkpoint(${mode})`);
  const [noop, passive, restart] = [prepare("NOOP"), prepare("PASSIVE"), prepare("RESTART")];
  let dueAt = CHECKPOINT_AT;
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
      setBusyTimeout(db, 0);
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
      if (log < dueAt - CHECKPOINT_AT) dueAt = CHECKPOINT_AT;
      if (log < dueAt) return;
      // Before it runs: one that fails is not tried again with every commit.
      dueAt = log + CHECKPOINT_AT;
      checkBefore();
      if (log >= RESTART_AT) runAndRestart();
      else passive.get();
    },
    run() {
      checkBefore();
      passive.get();
    },
  };
}
