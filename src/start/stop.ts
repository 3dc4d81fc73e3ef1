import { closeAll } from "../base/disposal.ts";
import { lazy } from "../base/lazy.ts";
import { withTimeout } from "../base/time/timeout.ts";
import type { Log } from "../telemetry/log.ts";
import { DRAIN_STEPS, type DrainStep, STOP_TIMEOUT_MS } from "./listening/drain.ts";

export interface StopOptions {
  /** True: accepts no more requests, even if a stop that still does has begun. */
  readonly atOnce?: boolean;
}

interface Stoppable {
  announceStop(): void;
  drain(step: DrainStep): Promise<void>;
}

/** Closing takes milliseconds, and has this much time even if requests have taken all of it. */
const CLOSE_TIMEOUT_MS = 1_000;

interface StopParts {
  /** Requests are still accepted for this long, so that load balancers have the time to notice. */
  readonly drainMs: number;
  readonly serving: Stoppable;
  readonly threads: Stoppable;
  readonly opened: AsyncDisposableStack;
  readonly log: Log;
  /** The time for requests in progress and for closing together. */
  readonly timeoutMs?: number;
}

/** Makes the function that stops a service: it announces the stop, serves for a while, drains and closes. */
export function createStop(parts: StopParts) {
  const { drainMs, serving, threads, opened, log, timeoutMs = STOP_TIMEOUT_MS } = parts;
  const cutShort = Promise.withResolvers<void>();
  const stopOnce = lazy(async () => {
    serving.announceStop();
    threads.announceStop();
    await withTimeout(cutShort.promise, drainMs);
    const deadlineMs = performance.now() + timeoutMs;
    for (const step of DRAIN_STEPS) await Promise.all([serving.drain(step), threads.drain(step)]);
    // One limit for all, because each of them waits for a database that does not answer.
    const closingMs = Math.max(deadlineMs - performance.now(), Math.min(timeoutMs, CLOSE_TIMEOUT_MS));
    if (await withTimeout(closeAll(opened), closingMs)) log.info("stopped");
    else
      log.warn("stopped without waiting for the store any longer: what was acknowledged is safe, counters may not be");
  });
  return function stop({ atOnce = false }: StopOptions = {}): Promise<void> {
    if (atOnce) cutShort.resolve();
    return stopOnce();
  };
}
