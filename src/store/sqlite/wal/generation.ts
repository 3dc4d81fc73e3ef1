import type { Database } from "bun:sqlite";
import { isBusy, isSyncFailure, transact } from "../sql/attempt.ts";
import type { NoteCommit } from "./version.ts";

// Nothing in SQLite ties a write-ahead log to the file that it was written for: beside any other file, an older copy
// for one, its pages are applied all the same, and the file is ruined. So each file carries a generation, which is
// SQLite's user_version: on page 1, where both a file and a log can be read without SQLite. It begins at random, which
// tells one store from another, and the first transaction after each checkpoint raises it by one, which tells a file
// from its older copies. A transaction right before each checkpoint raises it as well: a log that was copied before
// that, and lacks what came after, is told from the file that the checkpoint has written. check.ts compares them before
// anything opens the file.

/** A quarter of what fits, so that counting never reaches the end. */
const MAX_FIRST = 2 ** 29;

/** Begins the generation of a new file, or of a copy that must differ from its original. */
export function beginGeneration(db: Database): void {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  setGeneration(db, 1 + (random % MAX_FIRST));
}

/** To be called within the first transaction after a checkpoint, which may begin a log. A file of an early release has no generation yet. */
export function raiseGeneration(db: Database): void {
  const generation = Number((db.query("PRAGMA user_version").get() as { user_version: bigint }).user_version);
  if (generation === 0) beginGeneration(db);
  else setGeneration(db, generation + 1);
}

/**
 * Raises the generation right before a checkpoint. Returns false if another process is writing, so that the checkpoint has
 * to wait for another time. If raising fails otherwise, it can be made all the same (on a full disk, nothing else makes
 * room in the log), unless a sync has failed, which is thrown.
 */
export function raiseBeforeCheckpoint(db: Database, noteCommit: NoteCommit): boolean {
  try {
    transact(
      db,
      () => raiseGeneration(db),
      (transaction) => noteCommit("none", transaction),
    );
  } catch (error) {
    if (isSyncFailure(error)) throw error;
    return !isBusy((error as Error).cause ?? error);
  }
  return true;
}

const setGeneration = (db: Database, generation: number): void => void db.run(`PRAGMA user_version = ${generation}`);
