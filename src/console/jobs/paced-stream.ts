import { withTimeout } from "../../base/time/timeout.ts";

/** Whoever reads has gone away, or takes nothing any more. */
export class ReaderGone extends Error {}

/** As fast as it is read, and for no longer than that. */
export interface PacedStream {
  readonly readable: ReadableStream<Uint8Array>;
  /** Resolves when somebody takes it. Fails with ReaderGone, or with the signal's reason. */
  write(chunk: Uint8Array, signal: AbortSignal): Promise<void>;
  close(): void;
  /** Whoever still reads sees that it is not whole. */
  fail(error: unknown): void;
}

/**
 * A stream that gives up a reader who takes nothing for so long. A TransformStream cannot: it ends when what was written
 * has been read, although that is never.
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
        throw new ReaderGone(isGone ? "the reader has gone away" : "the reader takes nothing any more");
      // The next one may be wanted at once.
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
