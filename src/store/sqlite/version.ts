import { dlopen, type Pointer, ptr, toArrayBuffer } from "bun:ffi";
import type { Database } from "bun:sqlite";
import { attempt } from "./database.ts";

// The head of the WAL index, which all processes that use a database share, in words of 32 bits:
// https://sqlite.org/walformat.html#the_wal_index_header
const FORMAT = 0;
const KNOWN_FORMAT = 3_007_000;
/** Grows with every transaction that is committed. */
const CHANGE = 2;
/** Over all of the head: tells two apart whose number of changes is the same after a recovery. */
const CHECKSUM_1 = 10;
const CHECKSUM_2 = 11;
const HEAD_BYTES = 48;

/**
 * A number that changes with every commit of any process. SQLite looks at the same memory at the
 * start of every read, so nothing that it would show is older or younger. It may be asked for as
 * long as the connection is open.
 */
export function versionOf(db: Database, path: string): () => number {
  const head = mapHead(`${path}-shm`);
  if (!head) return versionByPragma(db);
  let version = 0;
  let [change, checksum1, checksum2] = [head[CHANGE], head[CHECKSUM_1], head[CHECKSUM_2]];
  return () => {
    if (change !== head[CHANGE] || checksum1 !== head[CHECKSUM_1] || checksum2 !== head[CHECKSUM_2]) {
      [change, checksum1, checksum2] = [head[CHANGE], head[CHECKSUM_1], head[CHECKSUM_2]];
      version++;
    }
    return version;
  };
}

const LIBC = process.platform === "darwin" ? "libc.dylib" : "libc.so.6";
const READ_ONLY = 0;
const PROT_READ = 1;
const MAP_SHARED = 1;
const MAP_FAILED = 0xffffffffffffffffn;

/**
 * Undefined where the file cannot be mapped, or where SQLite writes another format. Bun.mmap will not
 * do: it closes the file, and a process that closes a file loses all its locks on it, those of SQLite
 * too. So the descriptor stays open for as long as the process lives.
 */
function mapHead(path: string): Uint32Array | undefined {
  try {
    const { symbols: libc } = dlopen(LIBC, {
      open: { args: ["ptr", "i32"], returns: "i32" },
      mmap: { args: ["u64", "u64", "i32", "i32", "i32", "i64"], returns: "u64" },
    });
    const descriptor = libc.open(ptr(Buffer.from(`${path}\0`)), READ_ONLY);
    if (descriptor < 0) return undefined;
    const address = libc.mmap(0n, BigInt(HEAD_BYTES), PROT_READ, MAP_SHARED, descriptor, 0n);
    if (address === MAP_FAILED) return undefined;
    const head = new Uint32Array(toArrayBuffer(Number(address) as Pointer, 0, HEAD_BYTES));
    return head[FORMAT] === KNOWN_FORMAT ? head : undefined;
  } catch {
    return undefined;
  }
}

/** The same by a statement, a hundred times as slow: it counts what other connections commit. */
export function versionByPragma(db: Database): () => number {
  const dataVersion = db.prepare<{ data_version: bigint }, []>("PRAGMA data_version");
  return () => Number(attempt(() => dataVersion.get())?.data_version);
}
