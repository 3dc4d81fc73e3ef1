import { Database } from "bun:sqlite";
import { reasonOf } from "./attempt.ts";
import { beginGeneration } from "./generation.ts";
import { COMMAND_TIMEOUT_MS, keepLogFile, setBusyTimeout } from "./pragmas.ts";

// The thread that makes a backup.

declare const self: Worker;

export interface BackupRequest {
  readonly path: string;
  /** An empty file, which becomes the copy. */
  readonly partial: string;
}

export interface BackupOutcome {
  /** Absent: the copy is complete, and nothing is wrong with it. */
  readonly failure?: string;
}

self.onmessage = ({ data: { path, partial } }: MessageEvent<BackupRequest>) => {
  try {
    copy(path, partial);
    check(partial);
    self.postMessage({} satisfies BackupOutcome);
  } catch (error) {
    self.postMessage({ failure: reasonOf(error) } satisfies BackupOutcome);
  }
};

function copy(path: string, partial: string): void {
  const db = new Database(path, { readwrite: true });
  try {
    setBusyTimeout(db, COMMAND_TIMEOUT_MS);
    keepLogFile(db);
    db.run("VACUUM INTO ?", [partial]);
  } finally {
    db.close();
  }
}

/** A second per million animals, which is more than the copy takes, so that no copy turns out to be broken when it is needed. */
function check(partial: string): void {
  const db = new Database(partial, { readwrite: true });
  try {
    const [row] = db.query("PRAGMA quick_check(1)").all() as { quick_check: string }[];
    if (row?.quick_check !== "ok")
      throw new Error(`the copy is damaged (${row?.quick_check}): run animal-store doctor on the database`);
    // From here on it is a store of its own, to which the log of the other one does not belong. No journal is needed
    // for a file that is thrown away if this fails, and whose name and contents are synced afterwards.
    db.run("PRAGMA journal_mode = OFF");
    db.run("PRAGMA synchronous = OFF");
    beginGeneration(db);
  } finally {
    db.close();
  }
}
