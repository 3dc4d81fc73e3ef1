/** A change to the watched folder, recorded by disk.c. Paths are relative to the folder. */
export interface DiskRecord {
  readonly operation: Operation;
  readonly path: string;
  /** The target of a rename or link. */
  readonly path2: string;
  readonly inode: bigint;
  /** The offset of a write, or the size after a truncation or extension. */
  readonly offset: number;
  readonly data: Uint8Array;
  /** The errno of a failed sync; otherwise 0. */
  readonly error: number;
  readonly isFolder: boolean;
  /** The length of the journal up to and including this record, which serves as its timestamp. */
  readonly end: number;
}

const OPERATIONS = [
  "none",
  "open",
  "write",
  "truncate",
  "sync",
  "rename",
  "unlink",
  "link",
  "mkdir",
  "rmdir",
  "extend",
  "unknown",
] as const;
type Operation = (typeof OPERATIONS)[number];

const MAGIC = 0x6b736964;
const HEADER_BYTES = 40;

/** Reads all complete records. The last one may be incomplete, if the program was killed while writing it. */
export function* readJournal(journal: Uint8Array): Generator<DiskRecord> {
  const view = new DataView(journal.buffer, journal.byteOffset, journal.byteLength);
  const text = new TextDecoder();
  for (let at = 0; at + HEADER_BYTES <= journal.length; ) {
    if (view.getUint32(at, true) !== MAGIC) throw new Error(`the journal is damaged at byte ${at}`);
    const pathEnd = at + HEADER_BYTES + view.getUint16(at + 6, true);
    const path2End = pathEnd + view.getUint16(at + 8, true);
    const end = path2End + view.getUint32(at + 32, true);
    if (end > journal.length) return;
    yield {
      operation: OPERATIONS[view.getUint16(at + 4, true)] ?? "unknown",
      path: text.decode(journal.subarray(at + HEADER_BYTES, pathEnd)),
      path2: text.decode(journal.subarray(pathEnd, path2End)),
      isFolder: view.getUint16(at + 10, true) === 1,
      error: view.getInt32(at + 12, true),
      inode: view.getBigUint64(at + 16, true),
      offset: Number(view.getBigUint64(at + 24, true)),
      data: journal.subarray(path2End, end),
      end,
    };
    at = end;
  }
}
