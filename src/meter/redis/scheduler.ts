/** Timers as a port, so that tests need not wait. */
export interface Scheduler {
  /** Monotonic, from an arbitrary origin. */
  nowMs(): number;
  /** Runs a task after a delay. Returns how to cancel it. */
  schedule(delayMs: number, task: () => void): () => void;
}

export const systemScheduler: Scheduler = {
  nowMs: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};
