import { withTimeout } from "../../base/time/timeout.ts";

/** The reader has disconnected, or has stopped reading. */
export class ReaderGone extends Error {}

/** A stream with backpressure. */
interface PacedStream {
  readonly readable: ReadableStream<Uint8Array>;
  /** Resolves when the chunk is read. Fails with ReaderGone, or with the signal's reason. */
  write(chunk: Uint8Array, signal: AbortSignal): Promise<void>;
  close(): void;
  /** Breaks the stream off, so that the reader does not take it for complete. */
  fail(error: unknown): void;
}

/**
 * Makes a stream that gives up a stalled reader. A TransformStream cannot: it ends only when everything written has
 * been read, which may be never.
 */
export function pacedStream(stalledAfterMs: number): PacedStream {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  let wanted = Promise.withResolvers<void>();
  let isGone = false;
  const readable = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull: () => wanted.resolve(),
      cancel() {
        isGone = true;
        wanted.resolve();
      },
    },
    { highWaterMark: 0 },
  );

  return {
    readable,
    async write(chunk, signal) {
      const isWanted = await withTimeout(wanted.promise, stalledAfterMs, signal);
      signal.throwIfAborted();
      if (!isWanted || isGone)
        throw new ReaderGone(isGone ? "the reader has disconnected" : "the reader has stopped reading");
      // Renewed first: enqueuing may pull the next chunk at once.
      wanted = Promise.withResolvers();
      controller.enqueue(chunk);
    },
    close() {
      if (!isGone) controller.close();
    },
    fail(error) {
      if (!isGone) controller.error(error);
    },
  };
}
