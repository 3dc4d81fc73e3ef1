import { Database } from "bun:sqlite";
import * as fs from "node:fs";

/** Closes a connection. Without this, one whose statements are still referred to stays open until they are collected. */
export const closeNow = (db: Database): void => db.close(true);

/**
 * Closes a connection without a checkpoint, which SQLite makes when the last one of a database is closed. One that can
 * only read is the last one here: it cannot make any. Returns false if there can be none, as when no more files can be
 * opened: then the connection stays open, because only the end of the process closes it without a checkpoint.
 */
export function closeWithoutCheckpoint(path: string, db: Database): boolean {
  const last = openAsLast(path);
  // Of a file that was removed or renamed SQLite makes no checkpoint.
  if (!last && isThere(path)) {
    leftOpen.add(db);
    return false;
  }
  leftOpen.delete(db);
  closeNow(db);
  if (last) closeNow(last);
  return true;
}

/** Otherwise they would be closed when they are collected. */
const leftOpen = new Set<Database>();

function openAsLast(path: string): Database | undefined {
  let db: Database | undefined;
  try {
    db = new Database(path, { readonly: true });
    // Page 1 alone, which the log has: under a file that was overwritten, a schema of several pages cannot be read.
    db.query("PRAGMA user_version").get();
    return db;
  } catch {
    if (db) closeNow(db);
    return undefined;
  }
}

const isThere = (path: string): boolean => fs.existsSync(path);
