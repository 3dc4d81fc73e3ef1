export interface Job {
  readonly intervalMs: number;
  /** Resolves to true if there is more to do immediately. */
  readonly run: () => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
}

const MORE_TO_DO_DELAY_MS = 1;

/**
 * Runs a background job repeatedly, and waits for the interval before each run, so that no two runs overlap. Returns
 * how to stop it, which waits for a run in progress.
 */
export function startJob({ intervalMs, run, onFailure }: Job): () => Promise<void> {
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
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}
