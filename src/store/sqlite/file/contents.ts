import * as fs from "node:fs";
import { FILE_WRITE_VERSION, GENERATION, ROLLBACK_JOURNAL } from "../wal/check.ts";

// A backup that is copied over a database in use overwrites the same file. The next checkpoint would mix the two, so
// the head of the file is read a few times a second, and before every checkpoint.

const HEAD_BYTES = GENERATION + 4;
/** A checkpoint or a command raises the generation by one, so it grows by far less between two reads of the head. */
const MAX_GROWTH = 100_000;

export interface Contents {
  /** Returns true if the head of the file cannot have been written by SQLite for this database. */
  isOverwritten(): boolean;
  /** Accepts any generation next: after a failed sync, the file may be an older state of itself. */
  forget(): void;
}

/** Watches the head of an open database file, for one thread. Without a descriptor, nothing is ever noticed. */
export function followContents(descriptor: number | undefined): Contents {
  const head = Buffer.alloc(HEAD_BYTES);
  let seen: number | undefined;

  /** Returns the file's generation; undefined if the head is not that of a database in use. */
  function read(file: number): number | undefined {
    if (fs.readSync(file, head, 0, HEAD_BYTES, 0) < HEAD_BYTES) return undefined;
    return head[FILE_WRITE_VERSION] === ROLLBACK_JOURNAL ? undefined : head.readInt32BE(GENERATION);
  }

  /** A file of an earlier release has generation 0 until the first checkpoint. */
  const follows = (generation: number | undefined): generation is number =>
    generation !== undefined && (!seen || (generation >= seen && generation - seen <= MAX_GROWTH));

  return {
    isOverwritten() {
      if (descriptor === undefined) return false;
      let generation = read(descriptor);
      // A head that is just being written can be half old and half new, so it is read once more.
      if (!follows(generation)) generation = read(descriptor);
      if (!follows(generation)) return true;
      seen = generation;
      return false;
    },
    forget() {
      seen = undefined;
    },
  };
}
