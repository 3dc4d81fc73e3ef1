import { closeAll } from "../base/disposal.ts";
import { lazy } from "../base/lazy.ts";
import { withTimeout } from "../base/time/timeout.ts";
import type { Log } from "../telemetry/log.ts";
import { DRAIN_STEPS, type DrainStep } from "./listening/drain.ts";

export interface StopOptions {
  /** True: accepts no more requests, even if a stop that still does has begun. */
  readonly atOnce?: boolean;
}

interface Stoppable {
  announceStop(): void;
  drain(step: DrainStep): Promise<void>;
}

interface StopParts {
  /** Requests are still accepted for this long, so that load balancers have the time to notice. */
  readonly drainMs: number;
  readonly serving: Stoppable;
  readonly threads: Stoppable;
  readonly opened: AsyncDisposableStack;
  readonly log: Log;
}

/** Makes the function that stops a service: it announces the stop, serves for a while, drains and closes. */
export function createStop({ drainMs, serving, threads, opened, log }: StopParts) {
  const cutShort = Promise.withResolvers<void>();
  const stopOnce = lazy(async () => {
    serving.announceStop();
    threads.announceStop();
    await withTimeout(cutShort.promise, drainMs);
    for (const step of DRAIN_STEPS) await Promise.all([serving.drain(step), threads.drain(step)]);
    await closeAll(opened);
    log.info("stopped");
  });
  return function stop({ atOnce = false }: StopOptions = {}): Promise<void> {
    if (atOnce) cutShort.resolve();
    return stopOnce();
  };
}
