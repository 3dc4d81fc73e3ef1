import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { OperatorError } from "../../base/operator-error.ts";
import { OWNER_ONLY } from "../../store/files/files.ts";

// The bytes of a file, which is read twice: to validate it, and to write what is in it.

const BLOCK_BYTES = 64 * 1024;

export interface Source {
  /** For people. */
  readonly name: string;
  /** All of it, from the beginning. From the second time on, it fails with SourceChanged if that is not what it was. */
  blocks(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Opens a file, or standard input if none is named. What can be read only once is kept in a private file. Fails with an
 * OperatorError, or with the signal's reason.
 */
export async function openSource(path: string | undefined, signal: AbortSignal): Promise<Source> {
  if (path === undefined) return sourceOf("standard input", await spool(Bun.stdin.stream(), signal));
  let file: FileHandle;
  try {
    // A pipe is opened when somebody writes to it.
    file = await unlessAborted(open(path, "r"), signal, (late) => void late.close());
  } catch (error) {
    signal.throwIfAborted();
    throw new OperatorError(`cannot read ${path}: ${reasonOf(error)}`);
  }
  const kind = await file.stat();
  if (kind.isFile()) return sourceOf(basename(path), file);
  if (kind.isDirectory()) {
    await file.close();
    throw new OperatorError(`${path} is a folder: name a file in it`);
  }
  const stream = file.createReadStream();
  try {
    return sourceOf(basename(path), await spool(stream, signal));
  } finally {
    // Which closes the file.
    stream.destroy();
  }
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  return code === "EACCES" ? "permission is denied" : message;
};

/** Waits for what may never come, such as input that somebody types. If it comes after all, somebody has to clear it away. */
function unlessAborted<T>(wanted: Promise<T>, signal: AbortSignal, onLate: (late: T) => void): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  wanted
    .then((value) => (signal.aborted ? onLate(value) : resolve(value)), reject)
    .finally(() => signal.removeEventListener("abort", abort));
  return promise;
}

/** It has no name any more, so nothing is left of it, however the process ends. */
async function spool(input: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "animal-store-import-"));
  let file: FileHandle | undefined;
  try {
    file = await open(join(folder, "input"), "wx+", OWNER_ONLY);
    await rm(folder, { recursive: true });
    const chunks = input[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await unlessAborted(chunks.next(), signal, () => {});
      if (done) break;
      await writeAll(file, value);
    }
    return file;
  } catch (error) {
    // What nobody closes is an error when it is collected, which ends a thread.
    await file?.close();
    await rm(folder, { recursive: true, force: true });
    signal.throwIfAborted();
    throw new OperatorError(
      `cannot keep the input in ${tmpdir()}: ${(error as Error).message}. Set TMPDIR to a folder with room for it`,
    );
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

async function sourceOf(name: string, file: FileHandle): Promise<Source> {
  /** Of each block, as it was read first. */
  let known: readonly bigint[] | undefined;

  async function* blocks(): AsyncGenerator<Uint8Array> {
    const digests: bigint[] = [];
    for (let position = 0; ; ) {
      const block = await readBlock(file, position);
      position += block.length;
      const digest = Bun.hash.xxHash64(block);
      if (known && known[digests.length] !== digest) throw new SourceChanged(name);
      digests.push(digest);
      if (block.length === 0) break;
      yield block;
    }
    known ??= digests;
  }

  return { name, blocks, close: () => file.close() };
}

export class SourceChanged extends OperatorError {
  constructor(name: string) {
    super(`${name} has changed since it was validated: import it again when nobody writes to it`);
  }
}

/** Less than a whole block only at the end. */
async function readBlock(file: FileHandle, position: number): Promise<Uint8Array> {
  const block = new Uint8Array(BLOCK_BYTES);
  let length = 0;
  while (length < BLOCK_BYTES) {
    const { bytesRead } = await file.read(block, length, BLOCK_BYTES - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return block.subarray(0, length);
}
