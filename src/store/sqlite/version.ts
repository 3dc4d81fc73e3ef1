import type { Database } from "bun:sqlite";

// The head of the WAL index, which all processes that use a database share, in words of 32 bits:
// https://sqlite.org/walformat.html#the_wal_index_header
const FORMAT = 0;
const KNOWN_FORMAT = 3_007_000;
/** Grows with every transaction that is committed. */
const CHANGE = 2;
/** Over all of the head: tells two apart whose number of changes is the same after a recovery. */
const CHECKSUM_1 = 10;
const CHECKSUM_2 = 11;
const HEAD_WORDS = 12;

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

/** Undefined where files cannot be mapped, or where SQLite writes another format. */
function mapHead(path: string): Uint32Array | undefined {
  try {
    const { buffer, byteOffset } = Bun.mmap(path, { shared: true });
    const head = new Uint32Array(buffer, byteOffset, HEAD_WORDS);
    return head[FORMAT] === KNOWN_FORMAT ? head : undefined;
  } catch {
    return undefined;
  }
}

/** The same by a statement, a hundred times as slow: it counts what other connections commit. */
export function versionByPragma(db: Database): () => number {
  const dataVersion = db.prepare<{ data_version: bigint }, []>("PRAGMA data_version");
  return () => Number(dataVersion.get()?.data_version);
}
