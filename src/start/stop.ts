import { closeAll } from "../base/disposal.ts";
import { lazy } from "../base/lazy.ts";
import type { Log } from "../telemetry/log.ts";
import { DRAIN_STEPS, type DrainStep } from "./ports/drain.ts";
import type { Listeners } from "./ports/listen.ts";

export interface StopOptions {
  /** Accepts no more requests, even if a stop that still does has begun. */
  readonly atOnce?: boolean;
}

interface StopParts {
  /** For how long requests are still accepted, so that load balancers have the time to notice. */
  readonly drainMs: number;
  readonly ready: { stop(): void };
  readonly listeners: Listeners;
  readonly threads: { announceStop(): void; drain(step: DrainStep): Promise<void> };
  readonly opened: AsyncDisposableStack;
  readonly log: Log;
}

/** How a service stops: it says so, goes on for a while, answers what it has been sent, and closes what it has opened. */
export function createStop({ drainMs, ready, listeners, threads, opened, log }: StopParts) {
  const cutShort = Promise.withResolvers<void>();
  const stopOnce = lazy(async () => {
    ready.stop();
    listeners.announceStop();
    threads.announceStop();
    const timer = setTimeout(cutShort.resolve, drainMs);
    await cutShort.promise;
    clearTimeout(timer);
    for (const step of DRAIN_STEPS) await Promise.all([listeners.takeStep(step), threads.drain(step)]);
    await closeAll(opened);
    log.info("stopped");
  });
  return function stop({ atOnce = false }: StopOptions = {}): Promise<void> {
    if (atOnce) cutShort.resolve();
    return stopOnce();
  };
}
