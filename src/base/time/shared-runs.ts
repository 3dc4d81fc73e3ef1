/**
 * Bounds how often something costly is done, however many ask for it. Callers share the next run: it begins after each of
 * their calls, so that its result is new to all of them, and a pause after the run before.
 */
export function sharedRuns<Value>(
  run: () => Promise<Value>,
  pauseMs: number,
  sleep: (ms: number) => Promise<void> = Bun.sleep,
): () => Promise<Value> {
  let next: Promise<Value> | undefined;
  let paused: Promise<unknown> = Promise.resolve();
  return () => {
    next ??= paused.then(() => {
      next = undefined;
      const running = run();
      paused = Promise.allSettled([running]).then(() => sleep(pauseMs));
      return running;
    });
    return next;
  };
}
