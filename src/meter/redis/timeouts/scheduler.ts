/** Timers as a port, so that tests need not wait. */
export interface Scheduler {
  /** Monotonic, from an arbitrary origin. */
  nowMs(): number;
  /** Runs a task after a delay. Returns how to cancel it. */
  schedule(delayMs: number, task: () => void): () => void;
  /** Runs a task after everything that has arrived over the network by now has been read. */
  afterArrivals(task: () => void): void;
}

export const systemScheduler: Scheduler = {
  nowMs: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
  // The first turn of the event loop may be the one that the timer ran in.
  afterArrivals: (task) => void setImmediate(() => setImmediate(task)),
};
