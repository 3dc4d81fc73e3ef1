import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { OWNER_ONLY } from "../../store/files/files.ts";
import { UnusableFile } from "../file-problem.ts";

// The bytes of a file, which is read twice: to validate it, and to write what is in it.

const BLOCK_BYTES = 64 * 1024;

export interface Source {
  /** Its name, for people. */
  readonly name: string;
  /** All of it, from the beginning. Fails with an UnusableFile if it differs from what was read first. */
  blocks(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

/**
 * Opens a file, or standard input if none is named. Input that can be read only once is kept in a private file. Fails
 * with an UnusableFile, or with the signal's reason.
 */
export async function openSource(path: string | undefined, signal: AbortSignal): Promise<Source> {
  if (path === undefined) return sourceOf("standard input", await spool(Bun.stdin.stream(), signal));
  // A pipe is opened when somebody writes to it.
  const file = await unlessAborted(open(path, "r"), signal, (late) => void late.close()).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new UnusableFile({ kind: "cannot_open", why: reasonOf(error) });
  });
  const kind = await file.stat();
  if (kind.isFile()) return sourceOf(basename(path), file);
  if (kind.isDirectory()) {
    await file.close();
    throw new UnusableFile({ kind: "folder" });
  }
  const stream = file.createReadStream();
  try {
    return sourceOf(basename(path), await spool(stream, signal));
  } finally {
    // This closes the file.
    stream.destroy();
  }
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  return code === "EACCES" ? "permission is denied" : message;
};

/** Stops waiting when the signal is aborted, as for input that somebody types. A value that comes later goes to onLate. */
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

/** Copies input into a file that has no name any more, so nothing is left of it however the process ends. */
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
      await file.appendFile(value);
    }
    return file;
  } catch (error) {
    // A handle that nobody closes is an error when it is collected, which ends a thread.
    await file?.close();
    await rm(folder, { recursive: true, force: true });
    signal.throwIfAborted();
    throw new UnusableFile({ kind: "cannot_spool", folder: tmpdir(), why: (error as Error).message });
  }
}

async function sourceOf(name: string, file: FileHandle): Promise<Source> {
  /** The digest of each block when it was read first. */
  let known: readonly bigint[] | undefined;

  async function* blocks(): AsyncGenerator<Uint8Array> {
    const digests: bigint[] = [];
    for (let position = 0; ; ) {
      const block = await readBlock(file, position);
      position += block.length;
      const digest = Bun.hash.xxHash64(block);
      if (known && known[digests.length] !== digest) throw new UnusableFile({ kind: "changed" });
      digests.push(digest);
      if (block.length === 0) break;
      yield block;
    }
    known ??= digests;
  }

  return { name, blocks, close: () => file.close() };
}

/** Reads a whole block; only the last one may be shorter. */
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
