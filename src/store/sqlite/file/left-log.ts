import type { Database } from "bun:sqlite";
import { asUnavailable, codeOf } from "../sql/attempt.ts";
import { rewriteLog } from "../wal/rewrite-log.ts";
import { closeNow, closeWithoutCheckpoint } from "./close.ts";
import { isServed } from "./serving-lock.ts";

// A command may be the first or the last to use a log that others have written. Whoever did may have seen a sync fail,
// after which pages look complete in memory and are not on disk; a service that has seen one recovers by itself.

/** Writes the log of a database that nobody serves once more, so that what the command adds to it is not behind a hole. */
export function secureLeftLog(db: Database): void {
  if (hasLog(db) && !isServed(db.filename)) rewriteOwnLog(db);
}

const logOf = ({ filename }: Database): string => `${filename}-wal`;
const hasLog = (db: Database): boolean => Bun.file(logOf(db)).size > 0;

function rewriteOwnLog(db: Database): void {
  try {
    rewriteLog(db, logOf(db));
  } catch (error) {
    // A command that can only read adds nothing.
    if (!codeOf(error).startsWith("SQLITE_READONLY")) throw asUnavailable(error);
  }
}

/**
 * Closes the connection of a command. SQLite makes a checkpoint if it is the last one. While a service runs, that is the
 * service's business; and a checkpoint of which another process has made a part is not finished, because its pages,
 * which nobody would write again, may not be on disk. The next start begins with all of the log.
 */
export function closeOfCommand(db: Database): void {
  if (mayCheckpoint(db)) closeNow(db);
  else closeWithoutCheckpoint(db.filename, db);
}

function mayCheckpoint(db: Database): boolean {
  try {
    const progress = db.query("PRAGMA wal_checkpoint(NOOP)").get() as { checkpointed: bigint } | null;
    if (Number(progress?.checkpointed) > 0 || isServed(db.filename)) return false;
    if (hasLog(db)) rewriteOwnLog(db);
    return true;
  } catch {
    return false;
  }
}
