import * as fs from "node:fs";
import { FILE_WRITE_VERSION, GENERATION, ROLLBACK_JOURNAL } from "../wal/check.ts";

// A backup that is copied over a database in use leaves the file in its place, with other contents. Each checkpoint
// would then mix the two, so the head of the file is looked at a few times a second, and before every checkpoint.

const HEAD_BYTES = GENERATION + 4;
/** Of a file in use, the generation grows by one with a checkpoint or a command: by far less between two looks. */
const MAX_GROWTH = 100_000;

export interface Contents {
  /** Whether the file has contents that nobody can have written who uses it as a database. */
  isOverwritten(): boolean;
  /** After a sync that failed, the file may be as it was before. */
  forget(): void;
}

/** Follows the contents of an open database file, without a descriptor not at all. For one thread. */
export function followContents(descriptor: number | undefined): Contents {
  const head = Buffer.alloc(HEAD_BYTES);
  let seen: number | undefined;

  /** The file's generation; undefined if the head is not that of a database in use. */
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
      // Again: a head that is being written can be half of one and half of the other.
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
