import type { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { copyBytes } from "../../files/files.ts";

/**
 * Writes a database's log once more, as it is, and syncs it. After a sync that failed, the log can look complete in
 * memory and have holes on disk, and a later sync does not fill them: the kernel takes those pages for written.
 * Nobody else writes to it meanwhile, because this holds the write lock.
 */
export function rewriteLog(db: Database, logPath: string): void {
  db.run("BEGIN IMMEDIATE");
  try {
    const file = openSync(logPath, "r+");
    try {
      copyBytes(file, file);
    } finally {
      closeSync(file);
    }
  } finally {
    db.run("ROLLBACK");
  }
}
