import * as fs from "node:fs";
import { FILE_WRITE_VERSION, GENERATION, ROLLBACK_JOURNAL } from "../wal/check.ts";

// A backup that is copied over a database in use overwrites the same file. The next checkpoint would mix the two, so
// the head of the file is read a few times a second, and before every checkpoint.

const HEAD_BYTES = GENERATION + 4;
/** A checkpoint or a command raises the generation by one, so it grows by far less between two reads of the head. */
const MAX_GROWTH = 100_000;

/** Watches the head of an open database file, for one thread. Without a descriptor, nothing is ever noticed. */
export class FileContents {
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #seen: number | undefined;

  constructor(private readonly descriptor: number | undefined) {}

  /** Returns true if the head of the file cannot have been written by SQLite for this database. */
  isOverwritten(): boolean {
    if (this.descriptor === undefined) return false;
    // A head that is just being written can be half old and half new, so it is read once more.
    const generation = this.#readNext(this.descriptor) ?? this.#readNext(this.descriptor);
    if (generation === undefined) return true;
    this.#seen = generation;
    return false;
  }

  /** Accepts any generation next: after a failed sync, the file may be an older state of itself. */
  forget(): void {
    this.#seen = undefined;
  }

  /** Returns the file's generation; undefined if the head is not that of a database in use, or cannot come next. */
  #readNext(file: number): number | undefined {
    const head = this.#head;
    if (fs.readSync(file, head, 0, HEAD_BYTES, 0) < HEAD_BYTES) return undefined;
    if (head[FILE_WRITE_VERSION] === ROLLBACK_JOURNAL) return undefined;
    const generation = head.readInt32BE(GENERATION);
    // A file of an earlier release has generation 0 until the first checkpoint.
    if (!this.#seen) return generation;
    return generation >= this.#seen && generation - this.#seen <= MAX_GROWTH ? generation : undefined;
  }
}
