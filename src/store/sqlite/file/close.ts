import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { connect } from "../sql/connect.ts";

/** Closes a connection at once; a plain close() would wait until statements that are still referenced are collected. */
export const closeNow = (db: Database): void => db.close(true);

/**
 * Closes a connection without the checkpoint that SQLite makes when the last one of a database is closed: a read-only
 * connection, which cannot make any, is closed last. Returns false if none can be opened, as when no more files can be;
 * the connection then stays open, because only the end of the process closes it without a checkpoint.
 */
export function closeWithoutCheckpoint(path: string, db: Database): boolean {
  const last = openAsLast(path);
  // SQLite makes no checkpoint of a file that was removed or renamed.
  if (!last && existsSync(path)) {
    leftOpen.add(db);
    return false;
  }
  leftOpen.delete(db);
  closeNow(db);
  if (last) closeNow(last);
  return true;
}

/** Referenced, because the garbage collector would close them, with a checkpoint. */
const leftOpen = new Set<Database>();

function openAsLast(path: string): Database | undefined {
  let db: Database | undefined;
  try {
    db = connect(path, { readonly: true });
    // This reads page 1 alone, which the log has. The schema of a file that was overwritten may not be readable.
    db.query("PRAGMA user_version").get();
    return db;
  } catch {
    if (db) closeNow(db);
    return undefined;
  }
}
