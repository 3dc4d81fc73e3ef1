import { Database } from "bun:sqlite";

/** Closes a connection. Without this, one whose statements are still referred to stays open until they are collected. */
export const closeNow = (db: Database): void => db.close(true);

/**
 * Closes connections without a checkpoint, which SQLite makes when the last one of a database is closed. A connection
 * that can only read is the last one here: it cannot make any.
 */
export function closeWithoutCheckpoint(path: string, close: () => void): void {
  const last = openForReading(path);
  try {
    close();
  } finally {
    if (last) closeNow(last);
  }
}

function openForReading(path: string): Database | undefined {
  try {
    const db = new Database(path, { readonly: true });
    db.query("SELECT 1 FROM sqlite_schema LIMIT 1").get();
    return db;
  } catch {
    // There is no such file any more, and then SQLite makes no checkpoint either.
    return undefined;
  }
}
