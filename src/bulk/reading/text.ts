import { createGunzip, type Gunzip } from "node:zlib";
import { OperatorError } from "../../base/operator-error.ts";

// Bytes as text: unpacked, checked to be UTF-8, and in whole lines.

/** A line may be as long as this: far more than any animal takes. */
export const LINE_MAX_BYTES = 1024 * 1024;

const LINE_FEED = 0x0a;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const BYTE_ORDER_MARK = "\ufeff";

/** Whole lines, with their ends; only the last line of all may lack one. */
export interface TextBlock {
  readonly text: string;
  /** The number of the first line in it, from 1. */
  readonly line: number;
}

/** Fails with an OperatorError that names the line. The digest gets every byte, unpacked. */
export async function* textBlocks(
  bytes: AsyncGenerator<Uint8Array>,
  name: string,
  digest: Bun.CryptoHasher,
): AsyncGenerator<TextBlock> {
  let rest: Uint8Array = new Uint8Array();
  let line = 1;
  for await (const chunk of unpacked(bytes, name)) {
    digest.update(chunk);
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const block = joined(rest, chunk.subarray(0, end));
      yield { text: decode(block, line, name), line };
      line += linesIn(block);
      rest = chunk.subarray(end);
    } else rest = joined(rest, chunk);
    if (rest.length > LINE_MAX_BYTES) throw tooLong(name, line);
  }
  if (rest.length > 0) yield { text: decode(rest, line, name), line };
}

const tooLong = (name: string, line: number): OperatorError =>
  new OperatorError(`line ${line} of ${name} does not end within ${LINE_MAX_BYTES} bytes: is it CSV or NDJSON?`);

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => (a.length === 0 ? b : Buffer.concat([a, b]));

function linesIn(block: Uint8Array): number {
  let lines = 0;
  for (let at = block.indexOf(LINE_FEED); at >= 0; at = block.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}

function decode(block: Uint8Array, line: number, name: string): string {
  try {
    const text = utf8.decode(block);
    return line === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  } catch {
    throw new OperatorError(
      `line ${line + linesBeforeMistake(block)} of ${name} is not valid UTF-8: save the file as UTF-8, and import it again`,
    );
  }
}

/** No byte of a longer character is a line feed, so lines can be decoded one by one. */
function linesBeforeMistake(block: Uint8Array): number {
  let [line, from] = [0, 0];
  for (; from < block.length; line++) {
    const end = block.indexOf(LINE_FEED, from);
    try {
      utf8.decode(block.subarray(from, end < 0 ? block.length : end));
    } catch {
      return line;
    }
    from = end < 0 ? block.length : end + 1;
  }
  return line;
}

/** What files begin with that are not text. */
const FOREIGN: readonly (readonly [what: string, bytes: readonly number[], remedy: string])[] = [
  ["a zip archive", [0x50, 0x4b, 0x03, 0x04], "unpack it first"],
  ["compressed with zstd", [0x28, 0xb5, 0x2f, 0xfd], "unpack it first with zstd -d, or compress it with gzip"],
  ["compressed with xz", [0xfd, 0x37, 0x7a, 0x58], "unpack it first with xz -d, or compress it with gzip"],
  ["compressed with bzip2", [0x42, 0x5a, 0x68], "unpack it first with bzip2 -d, or compress it with gzip"],
  ["UTF-16", [0xff, 0xfe], "save it as UTF-8"],
  ["UTF-16", [0xfe, 0xff], "save it as UTF-8"],
];
const GZIP = [0x1f, 0x8b];

const beginsWith = (block: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, i) => block[i] === byte);

/** As many bytes as tell what a file is. */
const START_BYTES = 4;

/** What the content says it is, whatever its name. */
async function* unpacked(bytes: AsyncGenerator<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  let start: Uint8Array = new Uint8Array();
  for (let next = await bytes.next(); !next.done; next = await bytes.next()) {
    start = joined(start, next.value);
    if (start.length >= START_BYTES) break;
  }
  if (start.length === 0)
    throw new OperatorError(`${name} is empty: it must have a header or a line of NDJSON at least`);
  const foreign = FOREIGN.find(([, first]) => beginsWith(start, first));
  if (foreign) throw new OperatorError(`${name} is ${foreign[0]}: ${foreign[2]}`);
  const all = withStart(start, bytes);
  yield* beginsWith(start, GZIP) ? unzipped(all, name) : all;
}

async function* withStart<Item>(start: Item, others: AsyncGenerator<Item>): AsyncGenerator<Item> {
  yield start;
  yield* others;
}

const UNZIPPED_BYTES = 64 * 1024;

async function* unzipped(bytes: AsyncGenerator<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: UNZIPPED_BYTES });
  const feeding = feed(bytes, gunzip);
  // It is awaited below: until then, a failure of it must not end the process.
  feeding.catch(() => {});
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
  } catch (error) {
    await feeding;
    throw new OperatorError(
      `${name} cannot be unpacked: ${(error as Error).message}. It is damaged or incomplete: get it again`,
    );
  }
  await feeding;
}

/** What the source fails with is what whoever unpacks it is told, too. */
async function feed(bytes: AsyncGenerator<Uint8Array>, gunzip: Gunzip): Promise<void> {
  try {
    for await (const block of bytes)
      if (!gunzip.write(block)) {
        await drained(gunzip);
        if (gunzip.destroyed) return;
      }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error as Error);
    throw error;
  }
}

/** It takes more, or never will. */
const drained = (gunzip: Gunzip): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      gunzip.off("drain", end).off("close", end);
      resolve();
    };
    gunzip.on("drain", end).on("close", end);
  });
