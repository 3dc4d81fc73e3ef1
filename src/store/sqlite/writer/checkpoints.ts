import type { Database } from "bun:sqlite";
import { setBusyTimeout } from "../sql/pragmas.ts";

// A commit goes to the log. A checkpoint copies the log into the database file, after which the log can begin again.
// The writer makes it between two commits, so that a failure is noticed and no commit waits for it.

const OF_A_SERVICE = {
  /** A checkpoint is made whenever the log has grown by this many pages: SQLite's own default. */
  checkpointAt: () => 1_000,
  /** In pages. Readers that take turns can keep a log from beginning again: past this, the writer waits for a gap. */
  restartAt: 4_000,
  /** A log that has grown beyond this is cut off when it begins again; a shorter one is faster to write than a new one. */
  logLimitBytes: 16 * 1024 * 1024,
  /** The connection's own timeout for locks, which a checkpoint replaces for a moment. */
  busyTimeoutMs: 0,
};
const RESTART_TIMEOUT_MS = 100;
/** Reading the length of the log takes 5 µs, too long for every commit. A write adds some pages to it. */
const LOOK_AFTER_WRITES = 50;

/**
 * Checkpoints never make readers wait. `prepareFor` is called before each: if it throws, nothing is written, and if it
 * returns false, the checkpoint is left to a later commit.
 */
export function checkpointsOf(db: Database, prepareFor: () => boolean, limits = OF_A_SERVICE) {
  db.run(`PRAGMA journal_size_limit = ${limits.logLimitBytes}`);
  const prepare = (mode: string) =>
    db.prepare<{ log: bigint; checkpointed: bigint }, []>(`PRAGMA wal_checkpoint(${mode})`);
  const [noop, passive, restart] = [prepare("NOOP"), prepare("PASSIVE"), prepare("RESTART")];
  /** The length of the log at the latest checkpoint, in pages. */
  let lastAt = 0;
  let writesSinceLook = 0;

  /** The length of the log, and how much of it is in the file, in pages. */
  function progress() {
    const row = noop.get();
    return { log: Number(row?.log), checkpointed: Number(row?.checkpointed) };
  }

  function runAndRestart(): void {
    setBusyTimeout(db, RESTART_TIMEOUT_MS);
    try {
      restart.get();
    } finally {
      setBusyTimeout(db, limits.busyTimeoutMs);
    }
  }

  return {
    progress,
    /** To be called after each commit, with the number of its writes. Throws when a checkpoint was due and failed. */
    afterCommit(writes: number): void {
      writesSinceLook += writes;
      if (writesSinceLook < LOOK_AFTER_WRITES) return;
      writesSinceLook = 0;
      const { log } = progress();
      // A log that is shorter has begun again.
      if (log < lastAt) lastAt = 0;
      if (log - lastAt < limits.checkpointAt()) return;
      const before = lastAt;
      // Set before it runs, so that one that fails is not tried again with every commit.
      lastAt = log;
      if (!prepareFor()) lastAt = before;
      else if (log >= limits.restartAt) runAndRestart();
      else passive.get();
    },
    /** Copies as much as readers and another process that writes allow. Throws when it fails. */
    run(): void {
      if (prepareFor()) passive.get();
    },
  };
}
