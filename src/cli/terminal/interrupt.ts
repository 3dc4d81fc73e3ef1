import { note } from "./print.ts";
import { EXIT_INTERRUPTED, STOP_SIGNALS, stopSignals } from "./stop-signals.ts";

export interface Interrupt {
  /** Aborted by the first SIGINT or SIGTERM: work then stops where it can be continued, or leaves nothing behind. */
  readonly signal: AbortSignal;
  /** Restores the default: a signal ends the process. */
  release(): void;
}

/** Lets work stop at a safe point when it is interrupted. The second Ctrl+C ends the process at once. */
export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  const receive = stopSignals({
    begin: () => controller.abort(),
    interrupt: () => process.exit(EXIT_INTERRUPTED),
  });
  for (const name of STOP_SIGNALS) process.on(name, receive);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of STOP_SIGNALS) process.off(name, receive);
    },
  };
}

/**
 * Runs work that stops when its signal is aborted. If that happens, the operator is told how to go on, and the result
 * is undefined.
 */
export async function interruptible<T>(
  whenStopped: string | (() => string),
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const { signal, release } = onInterrupt();
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    note(`animal-store: ${typeof whenStopped === "string" ? whenStopped : whenStopped()}`);
    process.exitCode = EXIT_INTERRUPTED;
    return undefined;
  } finally {
    release();
  }
}
