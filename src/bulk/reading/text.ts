import { isUtf8 } from "node:buffer";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { type ForeignFormat, UnusableFile } from "../file-problem.ts";

// Turns bytes into text: unpacked, checked to be UTF-8, and in whole lines.

/** The longest line: far more than any animal takes. */
export const LINE_MAX_BYTES = 1024 * 1024;

const LINE_FEED = 0x0a;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const BYTE_ORDER_MARK = "\ufeff";

/** Whole lines with their line ends; only the last line of the file may lack one. */
export interface TextBlock {
  readonly text: string;
  /** The number of the first line in it, from 1. */
  readonly line: number;
}

/** Fails with an UnusableFile. The digest gets every byte, unpacked. */
export async function* textBlocks(
  bytes: AsyncGenerator<Uint8Array>,
  digest: Bun.CryptoHasher,
): AsyncGenerator<TextBlock> {
  let rest: Uint8Array = new Uint8Array();
  let line = 1;
  for await (const chunk of unpacked(bytes)) {
    digest.update(chunk);
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const block = joined(rest, chunk.subarray(0, end));
      yield { text: decode(block, line), line };
      line += linesIn(block);
      rest = chunk.subarray(end);
    } else rest = joined(rest, chunk);
    if (rest.length > LINE_MAX_BYTES) throw new UnusableFile({ kind: "endless_line", line, maxBytes: LINE_MAX_BYTES });
  }
  if (rest.length > 0) yield { text: decode(rest, line), line };
}

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => (a.length === 0 ? b : Buffer.concat([a, b]));

function linesIn(block: Uint8Array): number {
  let lines = 0;
  for (let at = block.indexOf(LINE_FEED); at >= 0; at = block.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}

function decode(block: Uint8Array, line: number): string {
  try {
    const text = utf8.decode(block);
    return line === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  } catch {
    throw new UnusableFile({ kind: "not_utf8", line: line + linesBeforeMistake(block) });
  }
}

/** No byte of a longer character is a line feed, so lines can be checked one by one. */
function linesBeforeMistake(block: Uint8Array): number {
  const lines = Buffer.from(block).toString("latin1").split("\n");
  return lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1")));
}

/** The first bytes of formats that are not read. */
const FOREIGN: readonly (readonly [format: ForeignFormat, bytes: readonly number[]])[] = [
  ["zip", [0x50, 0x4b, 0x03, 0x04]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["UTF-16", [0xff, 0xfe]],
  ["UTF-16", [0xfe, 0xff]],
];
const GZIP = [0x1f, 0x8b];

const beginsWith = (block: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, i) => block[i] === byte);

/** The bytes by which a format is recognized. */
const START_BYTES = 4;

/** The format is recognized by the content, whatever the name of the file. */
async function* unpacked(bytes: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array = new Uint8Array();
  for (let next = await bytes.next(); !next.done; next = await bytes.next()) {
    start = joined(start, next.value);
    if (start.length >= START_BYTES) break;
  }
  if (start.length === 0) throw new UnusableFile({ kind: "empty" });
  const foreign = FOREIGN.find(([, first]) => beginsWith(start, first));
  if (foreign) throw new UnusableFile({ kind: "foreign_format", format: foreign[0] });
  const all = withFirst(start, bytes);
  yield* beginsWith(start, GZIP) ? unzipped(all) : all;
}

/** Yields an item that was taken before, and then the others. */
export async function* withFirst<Item>(first: Item, others: AsyncIterable<Item>): AsyncGenerator<Item> {
  yield first;
  yield* others;
}

const UNZIPPED_BYTES = 64 * 1024;

/** Fails with an UnusableFile, or with what the source fails with. */
async function* unzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: UNZIPPED_BYTES });
  // The reader of the stream gets the failure.
  const stream: AsyncIterable<Uint8Array> = pipeline(Readable.from(bytes), gunzip, () => {});
  try {
    yield* stream;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith("Z_") ? new UnusableFile({ kind: "damaged_gzip", why: message }) : error;
  }
}
