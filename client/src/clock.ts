import { onAbort } from "./on-abort.ts";
import type { ClientClock } from "./options.ts";

/** Longer ones end at once. */
export const TIMER_MAX_MS = 2e9;

/** The real time. It does not go back when somebody sets the clock. */
export const REAL_CLOCK: ClientClock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const untilMs = performance.now() + ms;
      let timer: ReturnType<typeof setTimeout> | undefined;
      // Timers may end early, and those of Node do when it was busy as they were set.
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
