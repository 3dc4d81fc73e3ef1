import { type Pointer, toArrayBuffer } from "bun:ffi";
import { mapForReading, openForGood } from "../sql/libc.ts";

// The head of the WAL index, which all processes that use a database share, in words of 32 bits:
// https://sqlite.org/walformat.html#the_wal_index_header
const FORMAT = 0;
const KNOWN_FORMAT = 3_007_000;
/** Grows by one with every transaction that is committed. */
const CHANGE = 2;
/** The number of frames in the log, and of those that were copied into the file. */
const FRAMES = 4;
const FRAMES_IN_FILE = 24;
/** Checksums over the whole head distinguish states with the same number of changes, as after a recovery. */
const CHECKSUM_1 = 10;
const CHECKSUM_2 = 11;
const HEAD_BYTES = 100;

/**
 * Maps the head of an open database's WAL index. Returns its address, which is good for all threads of
 * the process; undefined where the file cannot be mapped or SQLite writes another format.
 */
export function mapWalIndex(databasePath: string): number | undefined {
  try {
    // Bun.mmap closes its file, and SQLite would lose its locks.
    const descriptor = openForGood(`${databasePath}-shm`);
    if (descriptor === undefined) return undefined;
    const address = mapForReading(descriptor, HEAD_BYTES);
    return address !== undefined && walIndexAt(address)[FORMAT] === KNOWN_FORMAT ? address : undefined;
  } catch {
    return undefined;
  }
}

export const walIndexAt = (address: number): Uint32Array =>
  new Uint32Array(toArrayBuffer(address as Pointer, 0, HEAD_BYTES));

/** A state of the head is its number of changes and its two checksums: no two commits lead to the same one. */
export type State = readonly [change: number, checksum1: number, checksum2: number];

// Not with Atomics, which would write to memory that is mapped for reading only.

export const stateOf = (head: Uint32Array): State =>
  [head[CHANGE], head[CHECKSUM_1], head[CHECKSUM_2]] as readonly number[] as State;

export const isHeadAt = (head: Uint32Array, state: State): boolean =>
  head[CHANGE] === state[0] && head[CHECKSUM_1] === state[1] && head[CHECKSUM_2] === state[2];

/**
 * Follows the checkpoints of all processes, for the writer. The function is called under the write lock, and returns
 * whether there may have been a checkpoint since its last call, so that the next write may begin a new log.
 */
export function followCheckpoints(head: Uint32Array): () => boolean {
  let seen = -1;
  return () => {
    const inFile = head[FRAMES_IN_FILE] as number;
    const isUsedUp = head[FRAMES] === inFile;
    if (!isUsedUp && inFile === seen) return false;
    seen = isUsedUp ? 0 : inFile;
    return true;
  };
}
