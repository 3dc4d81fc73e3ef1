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

export interface Exported {
  readonly animals: number;
  /** The bytes that were written, after compression. */
  readonly bytes: number;
  readonly sha256: string;
}

/** Resolves when more can be written. */
export type WriteChunk = (chunk: Uint8Array) => Promise<void>;

/** Writes animals as text. It reads no faster than the output is taken, so memory stays small. */
export async function exportAnimals(
  snapshot: Pick<AnimalSnapshot, "batches">,
  write: WriteChunk,
  options: ExportOptions,
): Promise<Exported> {
  const progress = { animals: 0 };
  const chunks = chunksOf(snapshot, options, progress);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of options.isCompressed ? compressed(chunks) : chunks) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    await write(chunk);
  }
  return { animals: progress.animals, bytes, sha256: hash.digest("hex") };
}

async function* chunksOf(
  snapshot: Pick<AnimalSnapshot, "batches">,
  { format, filter, signal, onProgress }: ExportOptions,
  progress: { animals: number },
): AsyncGenerator<Uint8Array> {
  const { header, line } = LINE_FORMATS[format];
  if (header !== "") yield Buffer.from(header);
  for await (const animals of snapshot.batches(filter)) {
    signal.throwIfAborted();
    let text = "";
    for (const animal of animals) text += line(animal);
    yield Buffer.from(text);
    progress.animals += animals.length;
    onProgress(progress.animals);
  }
}

/** One gzip member: not every program reads a second one. */
const compressed = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  // The reader of the stream gets the failure.
  pipeline(Readable.from(chunks), createGzip(), () => {});
