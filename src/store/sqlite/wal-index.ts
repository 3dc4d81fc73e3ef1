import { dlopen, type Pointer, ptr, toArrayBuffer } from "bun:ffi";

// The head of the WAL index, which all processes that use a database share, in words of 32 bits:
// https://sqlite.org/walformat.html#the_wal_index_header
const FORMAT = 0;
const KNOWN_FORMAT = 3_007_000;
/** Grows by one with every transaction that is committed. */
export const CHANGE = 2;
/** Over the whole head. They distinguish states with the same number of changes, as after a recovery. */
export const CHECKSUM_1 = 10;
export const CHECKSUM_2 = 11;
const HEAD_BYTES = 48;

const LIBC = process.platform === "darwin" ? "libc.dylib" : "libc.so.6";
const READ_ONLY = 0;
const PROT_READ = 1;
const MAP_SHARED = 1;
const MAP_FAILED = 0xffffffffffffffffn;

/**
 * Maps the head of an open database's WAL index. Returns its address, which is good for all threads of
 * the process; undefined where the file cannot be mapped or SQLite writes another format.
 */
export function mapWalIndex(databasePath: string): number | undefined {
  try {
    const { symbols: libc } = dlopen(LIBC, {
      open: { args: ["ptr", "i32"], returns: "i32" },
      mmap: { args: ["u64", "u64", "i32", "i32", "i32", "i64"], returns: "u64" },
    });
    // Never closed, and so not by Bun.mmap, which closes its file: a process that closes a file loses all
    // its locks on it, those of SQLite too.
    const descriptor = libc.open(ptr(Buffer.from(`${databasePath}-shm\0`)), READ_ONLY);
    if (descriptor < 0) return undefined;
    const address = libc.mmap(0n, BigInt(HEAD_BYTES), PROT_READ, MAP_SHARED, descriptor, 0n);
    if (address === MAP_FAILED) return undefined;
    return walIndexAt(Number(address))[FORMAT] === KNOWN_FORMAT ? Number(address) : undefined;
  } catch {
    return undefined;
  }
}

export const walIndexAt = (address: number): Uint32Array =>
  new Uint32Array(toArrayBuffer(address as Pointer, 0, HEAD_BYTES));
