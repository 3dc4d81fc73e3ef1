import { constants, type Database } from "bun:sqlite";

/** A command waits this long for another process to finish its start, its migration or its write. */
export const COMMAND_TIMEOUT_MS = 5_000;

export function setBusyTimeout(db: Database, timeoutMs: number): void {
  db.run(`PRAGMA busy_timeout = ${timeoutMs}`);
}

/**
 * Makes the last connection leave an empty log and its index behind: a start on a full disk could not create them.
 * Automatic checkpoints are off, because a checkpoint that fails has to be noticed.
 */
export function keepLogFile(db: Database): void {
  db.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  db.run("PRAGMA journal_size_limit = 0");
  db.run("PRAGMA wal_autocheckpoint = 0");
}
