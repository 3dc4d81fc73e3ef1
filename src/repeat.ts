import type { Telemetry } from "./http/telemetry.ts";
import type { Log } from "./log.ts";

/**
 * Runs a task again and again, never twice at once; one that resolves to true is run again at
 * once, for there is more to do. Returns how to end that, after the run under way.
 */
export function repeat(
  everyMs: number,
  task: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let running = Promise.resolve();
  let timer: Timer;
  let isOver = false;
  const run = async (): Promise<void> => {
    const hasMore = await task().catch(onFailure);
    if (!isOver) timer = setTimeout(start, hasMore === true ? 1 : everyMs);
  };
  const start = () => {
    running = run();
  };
  timer = setTimeout(start, everyMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
    return running;
  };
}

const REPORT_EVERY_MS = 60_000;

/** Tells of a store's failure that may come back every half second, but not as often. */
export function reporter(message: string, log: Log, telemetry: Telemetry): (error: unknown) => void {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    telemetry.storeError();
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return;
    reportedAtMs = performance.now();
    log.error({ err: error }, message);
  };
}
