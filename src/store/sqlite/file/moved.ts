import type { Database } from "bun:sqlite";
import { OperatorError } from "../../../base/operator-error.ts";

/** https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html, which Bun's constants lack. */
const SQLITE_FCNTL_HAS_MOVED = 20;

/**
 * Throws an OperatorError if the path of an open connection leads to another file by now. A process that waited for a
 * restore has the old file open, to which SQLite would apply the new log. To be called before the log is opened.
 */
export function refuseMoved(db: Database, path: string): void {
  // Bun wants 8 bytes, of which SQLite writes 4.
  const hasMoved = new Int32Array(2);
  db.fileControl(SQLITE_FCNTL_HAS_MOVED, hasMoved);
  if (hasMoved[0] !== 0)
    throw new OperatorError(`${path} was replaced at this moment, by a restore for one: try again`);
}
