const MORE_TO_DO_DELAY_MS = 1;

/**
 * Runs a background job repeatedly, and waits for the interval before each run, so that no two runs overlap. A run that
 * resolves to true has more to do immediately. Returns how to stop it, which waits for a run in progress.
 */
export function startJob(intervalMs: number, run: () => Promise<unknown>, onFailure: (error: unknown) => void) {
  let running = Promise.resolve();
  let isStopped = false;
  const runOnce = async (): Promise<void> => {
    let delayMs = intervalMs;
    try {
      if ((await run()) === true) delayMs = MORE_TO_DO_DELAY_MS;
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
