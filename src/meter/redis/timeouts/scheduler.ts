/** Timers as a port, so that tests need not wait. */
export type Scheduler = typeof systemScheduler;

export const systemScheduler = {
  /** Monotonic, from an arbitrary origin. */
  nowMs: (): number => performance.now(),

  /** Runs a task after a delay. Returns how to cancel it. */
  schedule(delayMs: number, task: () => void): () => void {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },

  /** Runs a task after everything that has arrived over the network by now has been read. */
  afterArrivals(task: () => void): void {
    // The first turn of the event loop may be the one that the timer ran in.
    setImmediate(() => setImmediate(task));
  },
};
