const MORE_TO_DO_DELAY_MS = 1;

/** Returned by a run that has more to do at once. No boolean fits, since one could mean something else. */
export const MORE_TO_DO = Symbol("more to do");

/** One run of a job. */
export type Run = () => Promise<void> | Promise<typeof MORE_TO_DO | undefined>;

/**
 * Runs a background job repeatedly, and waits for the interval before each run, so that no two runs overlap. A run that
 * resolves to MORE_TO_DO is followed by another immediately. Returns how to stop it, which waits for a run in progress.
 */
export function startJob(intervalMs: number, run: Run, onFailure: (error: unknown) => void) {
  let running = Promise.resolve();
  let isStopped = false;
  const runOnce = async (): Promise<void> => {
    let delayMs = intervalMs;
    try {
      if ((await run()) === MORE_TO_DO) delayMs = MORE_TO_DO_DELAY_MS;
    } catch (error) {
      onFailure(error);
    }
    if (!isStopped) timer = setTimeout(start, delayMs);
  };
  const start = () => {
    running = runOnce();
  };
  let timer = setTimeout(start, intervalMs);
  return (): Promise<void> => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}
