import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { AnimalSelection, AnimalSnapshot } from "../store/ports/store.ts";
import { type ExportFormat, LINE_FORMATS } from "./export-formats.ts";

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly isCompressed: boolean;
  readonly filter: AnimalSelection;
  /** Aborting it ends the export after a batch, with its reason. */
  readonly signal: AbortSignal;
  readonly onProgress: (animals: number) => void;
}

export type Exported = Awaited<ReturnType<typeof exportAnimals>>;

/** Resolves when more can be written. */
export type WriteChunk = (chunk: Uint8Array) => Promise<void>;

/** Writes animals as text, and counts the bytes after compression. It reads no faster than the output is taken. */
export async function exportAnimals(
  snapshot: Pick<AnimalSnapshot, "batches">,
  write: WriteChunk,
  { format, isCompressed, filter, signal, onProgress }: ExportOptions,
) {
  const { header, line } = LINE_FORMATS[format];
  const hash = createHash("sha256");
  let animals = 0;
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (header !== "") yield Buffer.from(header);
    for await (const batch of snapshot.batches(filter)) {
      signal.throwIfAborted();
      let text = "";
      for (const animal of batch) text += line(animal);
      if (text !== "") yield Buffer.from(text);
      animals += batch.length;
      onProgress(animals);
    }
  }
  for await (const chunk of isCompressed ? compressed(chunks()) : chunks()) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    await write(chunk);
  }
  return { animals, bytes, sha256: hash.digest("hex") };
}

/** One gzip member: not every program reads a second one. */
const compressed = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  // The reader of the stream gets the failure.
  pipeline(Readable.from(chunks), createGzip(), () => {});
