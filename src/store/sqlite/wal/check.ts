import * as fs from "node:fs";
import { OperatorError } from "../../../base/operator-error.ts";

// Why a log that belongs is never refused. A log begins when all of the one before it is in the file, whose generation
// is then G; the first frame of page 1 in the log has G or G + 1, and later ones never less. A checkpoint copies page 1
// from frames that are synced to the log. So the file's generation is G or that of a frame: never less than the first
// frame's minus one, never more than the highest. That holds after any crash, whatever was checkpointed.

// https://sqlite.org/fileformat2.html#the_database_header
const FILE_HEADER_BYTES = 100;
const FILE_MAGIC = "SQLite format 3\0";
const FILE_PAGE_SIZE = 16;
export const FILE_WRITE_VERSION = 18;
export const ROLLBACK_JOURNAL = 1;
export const GENERATION = 60;

// https://sqlite.org/fileformat2.html#wal_file_format
const LOG_HEADER_BYTES = 32;
const LOG_MAGIC = 0x377f0682;
const LOG_PAGE_SIZE = 8;
const LOG_SALTS = 16;
const LOG_CHECKSUM = 24;
const FRAME_HEADER_BYTES = 24;
const FRAME_SALTS = 8;
const FRAME_CHECKSUM = 16;

/** Beside a running service, file and log may change while they are read: only what stays the same is believed. */
const MAX_READINGS = 50;

/** Throws an OperatorError if the log beside a database was written for another file. Nothing is changed. */
export function refuseForeignWal(path: string): void {
  const objection = objectionToWal(path);
  if (objection === undefined) return;
  throw new OperatorError(`${path}-wal does not belong to ${path} (${objection})`, {
    kind: "replace_foreign_log",
    path,
  });
}

/** Returns why the log beside a database cannot have been written for it; undefined if nothing speaks against it. */
export function objectionToWal(path: string): string | undefined {
  if (Bun.file(`${path}-wal`).size <= LOG_HEADER_BYTES) return undefined;
  for (let i = 0, before = ""; i < MAX_READINGS; i++) {
    const log = readWal(`${path}-wal`);
    if (!log) return undefined;
    const file = readHead(path);
    const objection = objectionTo(file, log);
    if (objection === undefined) return undefined;
    const heads = `${file.toString("hex")} ${log.head.toString("hex")}`;
    if (heads === before) return objection;
    before = heads;
  }
  return undefined;
}

function objectionTo(file: Buffer, log: Log): string | undefined {
  if (file.length < FILE_HEADER_BYTES) return "the log has changes in it, and the database file is missing or empty";
  if (file.toString("latin1", 0, FILE_MAGIC.length) !== FILE_MAGIC) return undefined;
  // 1 stands for the one size that does not fit.
  const pageSize = file.readUInt16BE(FILE_PAGE_SIZE) === 1 ? 65_536 : file.readUInt16BE(FILE_PAGE_SIZE);
  if (pageSize !== log.pageSize) return "they have different page sizes";
  // SQLite marks a file before it gets its first log, and removes the log before it removes the mark.
  if (file[FILE_WRITE_VERSION] === ROLLBACK_JOURNAL)
    return "the database file is a backup that has not been used yet, and the log is older";
  const generation = file.readInt32BE(GENERATION);
  // A file of an earlier release has none.
  if (generation === 0 || log.firstGeneration === undefined) return undefined;
  if (generation < log.firstGeneration - 1 || generation > log.highestGeneration)
    return `the file is of generation ${generation}, and the log was begun for ${log.firstGeneration - 1}`;
  return undefined;
}

/**
 * Reads the head of a database file: less than a header if the file is empty or missing. The descriptor stays open: a
 * process that closes a file loses all its locks on it, those of SQLite too.
 */
function readHead(path: string): Buffer {
  const head = Buffer.alloc(FILE_HEADER_BYTES);
  try {
    return head.subarray(0, fs.readSync(fs.openSync(path, "r"), head, 0, head.length, 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return head.subarray(0, 0);
    throw new OperatorError(`cannot read the database ${path}: ${(error as Error).message}`);
  }
}

type Log = NonNullable<ReturnType<typeof readFrames>>;

/** Returns undefined if SQLite would apply nothing of the log. */
function readWal(path: string): Log | undefined {
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new OperatorError(`cannot read ${path}: ${(error as Error).message}`);
  }
  try {
    return readFrames(descriptor);
  } finally {
    // SQLite locks nothing in a log.
    fs.closeSync(descriptor);
  }
}

function readFrames(descriptor: number) {
  const head = Buffer.alloc(LOG_HEADER_BYTES);
  if (fs.readSync(descriptor, head, 0, head.length, 0) < head.length) return undefined;
  const magic = head.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== LOG_MAGIC) return undefined;
  const checksum = new Checksum(magic === LOG_MAGIC);
  checksum.add(head.subarray(0, LOG_CHECKSUM));
  if (!checksum.isAt(head, LOG_CHECKSUM)) return undefined;

  const pageSize = head.readUInt32BE(LOG_PAGE_SIZE);
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageSize);
  /** The generation in the first frame of page 1, and the highest one in all frames of page 1. */
  let firstGeneration: number | undefined;
  let highestGeneration = 0;
  let frames = 0;
  for (; ; frames++) {
    const position = LOG_HEADER_BYTES + frames * frame.length;
    // Checksums matter up to the first frame of page 1. After that, a torn frame can only raise the highest.
    const isVerified = firstGeneration === undefined;
    const wanted = isVerified ? frame.length : FRAME_HEADER_BYTES;
    if (fs.readSync(descriptor, frame, 0, wanted, position) < wanted) break;
    if (frame.compare(head, LOG_SALTS, LOG_SALTS + 8, FRAME_SALTS, FRAME_SALTS + 8) !== 0) break;
    const isPage1 = frame.readUInt32BE(0) === 1;
    if (isVerified) {
      checksum.add(frame.subarray(0, FRAME_SALTS));
      checksum.add(frame.subarray(FRAME_HEADER_BYTES));
      if (!checksum.isAt(frame, FRAME_CHECKSUM)) break;
    } else if (isPage1) fs.readSync(descriptor, frame, 0, frame.length, position);
    if (!isPage1) continue;
    const generation = frame.readInt32BE(FRAME_HEADER_BYTES + GENERATION);
    firstGeneration ??= generation;
    highestGeneration = Math.max(highestGeneration, generation);
  }
  return frames === 0 ? undefined : { head, pageSize, firstGeneration, highestGeneration };
}

/** The checksum of the log format, which runs through all of a log. */
class Checksum {
  #first = 0;
  #second = 0;

  constructor(private readonly isLittleEndian: boolean) {}

  add(bytes: Buffer): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let i = 0; i < bytes.length; i += 8) {
      this.#first = (this.#first + view.getUint32(i, this.isLittleEndian) + this.#second) >>> 0;
      this.#second = (this.#second + view.getUint32(i + 4, this.isLittleEndian) + this.#first) >>> 0;
    }
  }

  isAt(bytes: Buffer, position: number): boolean {
    return bytes.readUInt32BE(position) === this.#first && bytes.readUInt32BE(position + 4) === this.#second;
  }
}
