import { onAbort } from "./on-abort.ts";
import type { ClientClock } from "./options.ts";

/** Timers are limited to 2^31 - 1 ms: a longer one would fire at once. */
export const TIMER_MAX_MS = 2e9;

/** Monotonic time: it does not jump when somebody sets the system clock. */
export const REAL_CLOCK: ClientClock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const untilMs = performance.now() + ms;
      let timer: ReturnType<typeof setTimeout> | undefined;
      // Timers may fire early: Node's do if the event loop was busy when they were set.
      const wake = (): void => {
        const leftMs = untilMs - performance.now();
        clearTimeout(timer);
        if (leftMs > 0 && !signal?.aborted) timer = setTimeout(wake, Math.min(leftMs, TIMER_MAX_MS));
        else {
          stopListening();
          resolve();
        }
      };
      const stopListening = onAbort(signal, wake);
      wake();
    }),
};
