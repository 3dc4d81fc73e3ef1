import { withTimeout } from "../../base/time/timeout.ts";

/** The reader has disconnected, has stopped reading, or may no longer read. */
export class ReaderGone extends Error {}

/**
 * Makes a stream with backpressure that gives up a stalled reader. A TransformStream cannot: it ends only when
 * everything written has been read, which may be never.
 */
export function pacedStream(stalledAfterMs: number) {
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
    /** Resolves when the chunk is read. Fails with ReaderGone, or with the signal's reason. */
    async write(chunk: Uint8Array, signal: AbortSignal): Promise<void> {
      const isWanted = await withTimeout(wanted.promise, stalledAfterMs, signal);
      signal.throwIfAborted();
      if (!isWanted || isGone)
        throw new ReaderGone(isGone ? "the reader has disconnected" : "the reader has stopped reading");
      // Renewed first: enqueuing may pull the next chunk at once.
      wanted = Promise.withResolvers();
      controller.enqueue(chunk);
    },
    close(): void {
      if (!isGone) controller.close();
    },
    /** Breaks the stream off, so that the reader does not take it for complete. */
    fail(error: unknown): void {
      if (!isGone) controller.error(error);
    },
  };
}
