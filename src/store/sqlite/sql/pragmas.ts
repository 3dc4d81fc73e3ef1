import { constants, type Database } from "bun:sqlite";

/** How long a command waits for another process to finish its start, its migration or its write. */
export const COMMAND_TIMEOUT_MS = 5_000;

export function setBusyTimeout(db: Database, timeoutMs: number): void {
  db.run(`PRAGMA busy_timeout = ${timeoutMs}`);
}

/**
 * The last to close leaves an empty log and its index behind, rather than none: a start on a full disk could not
 * create them. Nobody checkpoints by chance, because a checkpoint that fails has to be noticed.
 */
export function keepLogFile(db: Database): void {
  db.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  db.run("PRAGMA journal_size_limit = 0");
  db.run("PRAGMA wal_autocheckpoint = 0");
}
