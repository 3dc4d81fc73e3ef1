import { Progress } from "./progress.ts";
import { EXIT_INTERRUPTED, STOP_SIGNALS, stopSignals } from "./stop-signals.ts";

/**
 * Runs long work, which stops when its signal is aborted: where it can be continued, or leaving nothing behind. The
 * first SIGINT or SIGTERM aborts it: the operator is told how to go on, and the result is undefined. The second Ctrl+C
 * ends the process at once.
 */
export async function interruptible<T>(
  whenStopped: string | (() => string),
  work: (signal: AbortSignal, progress: Progress) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  const receive = stopSignals({
    begin: () => controller.abort(),
    interrupt: () => process.exit(EXIT_INTERRUPTED),
  });
  for (const name of STOP_SIGNALS) process.on(name, receive);
  const progress = new Progress();
  try {
    return await work(signal, progress);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    progress.say(`animal-store: ${typeof whenStopped === "string" ? whenStopped : whenStopped()}`);
    process.exitCode = EXIT_INTERRUPTED;
    return undefined;
  } finally {
    progress.end();
    for (const name of STOP_SIGNALS) process.off(name, receive);
  }
}
