import { open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { MINUTE_MS } from "../../base/time/clock.ts";
import { withTimeout } from "../../base/time/timeout.ts";
import { OWNER_ONLY } from "../../store/files/files.ts";
import { diskAt } from "../cached/disk.ts";
import { ConsoleFault } from "../fault.ts";

const GIBIBYTE = 2 ** 30;
/** The free space is checked after every so many bytes. */
const CHECK_EVERY_BYTES = 16 * 1024 * 1024;

export type UploadLimits = typeof UPLOAD_LIMITS;

export const UPLOAD_LIMITS = {
  /** Far more than any store needs. */
  maxBytes: 8 * GIBIBYTE,
  /** The longest pause in an upload. */
  stalledAfterMs: MINUTE_MS,
  /** Returns the number of bytes that may be added to a folder. */
  async roomIn(folder: string): Promise<number> {
    const { freeBytes, totalBytes } = await diskAt(folder);
    // Some is left to others.
    return freeBytes - Math.max(64 * 1024 * 1024, 0.05 * totalBytes);
  },
};

/** Streams an upload into a folder. An incomplete or stopped one leaves nothing behind. */
export async function receive(
  body: ReadableStream<Uint8Array>,
  path: string,
  folder: string,
  { maxBytes, roomIn, stalledAfterMs }: UploadLimits,
  signal: AbortSignal,
): Promise<ConsoleFault | undefined> {
  const file = await open(path, "wx", OWNER_ONLY);
  let isWhole = false;
  try {
    let bytes = 0;
    let checkedAt = Number.NEGATIVE_INFINITY;
    for await (const chunk of arriving(body, stalledAfterMs, signal)) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) return tooLarge(maxBytes);
      if (bytes - checkedAt >= CHECK_EVERY_BYTES) {
        if ((await roomIn(folder)) < CHECK_EVERY_BYTES) return noRoom(folder);
        checkedAt = bytes;
      }
      for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
    }
    if (bytes === 0) return EMPTY;
    isWhole = true;
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return noRoom(folder);
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    return signal.aborted ? STOPPED : CUT_OFF;
  } finally {
    await file.close();
    if (!isWhole) await rm(path, { force: true });
  }
}

/** Fails when the upload stalls or is stopped: imports run one at a time, so a stalled one would block all others. */
async function* arriving(
  body: ReadableStream<Uint8Array>,
  stalledAfterMs: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const read = await withTimeout(reader.read(), stalledAfterMs, signal);
      if (!read) throw new Error("the upload stalled or was stopped");
      const { done, value } = read.value;
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

export const fileFault = (status: number, code: string, message: string): ConsoleFault =>
  new ConsoleFault(status, code, message, { field: "file" });

const EMPTY = fileFault(400, "empty_file", "The file is empty. Choose another one.");
const CUT_OFF = fileFault(400, "incomplete_file", "The upload was cut off. Send the file again.");
const STOPPED = fileFault(
  409,
  "import_stopped",
  "The import was stopped before the file had arrived. To import it after all, choose the file again.",
);

const tooLarge = (maxBytes: number): ConsoleFault =>
  fileFault(
    413,
    "file_too_large",
    `The file is larger than ${(maxBytes / GIBIBYTE).toFixed(0)} GiB. Compress it with gzip, or import it on the server with: npx animal-store animals import`,
  );

const noRoom = (folder: string): ConsoleFault =>
  fileFault(
    413,
    "no_room",
    `There is not enough free space for the file in ${dirname(dirname(folder))}. Free some, set TMPDIR to another folder, or import it on the server with: npx animal-store animals import`,
  );

const NAME_MAX_CHARACTERS = 100;
/** File systems allow 255; some are left for what is put around the name. */
const NAME_MAX_BYTES = 200;

/** Makes a name safe for the file system; people still recognize it. */
export function fileNameOf(name: string | undefined): string {
  const cleaned = (name ?? "")
    .normalize()
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}/\\]/gu, "")
    .trim()
    .replace(/^\.+/, "");
  const characters = Array.from(cleaned).slice(-NAME_MAX_CHARACTERS);
  while (Buffer.byteLength(characters.join("")) > NAME_MAX_BYTES) characters.shift();
  return characters.join("") || "animals.csv";
}
