import type { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";

const CHUNK_BYTES = 1024 * 1024;

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
      const chunk = new Uint8Array(CHUNK_BYTES);
      for (let offset = 0; ; ) {
        const bytes = readSync(file, chunk, 0, CHUNK_BYTES, offset);
        if (bytes === 0) break;
        for (let done = 0; done < bytes; ) done += writeSync(file, chunk, done, bytes - done, offset + done);
        offset += bytes;
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } finally {
    db.run("ROLLBACK");
  }
}
