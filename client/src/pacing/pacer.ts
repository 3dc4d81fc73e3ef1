import { AnimalStoreError, aborted } from "../error.ts";
import { onAbort } from "../on-abort.ts";
import type { ClientClock } from "../options.ts";
import type { Limits } from "./limits.ts";
import { createStanding, type Outcome, type Pass } from "./standing.ts";

interface Waiter {
  readonly latestMs: number;
  readonly settle: (outcome: Pass | Promise<Pass>) => void;
}

/** Holds calls back, in the order that they came in, until their requests may be sent. */
export function createPacer(clock: ClientClock, isHolding: boolean) {
  const [windows, refusedUntilMs, opensAtMs, pass, end] = createStanding();
  /** By number, in the order that they came in: a Set would be slow to find its first one when very many have left. */
  const waiters = new Map<number, Waiter>();
  let first = 0;
  let next = 0;
  /** Nobody who waits is late before. */
  let earliestMs = Infinity;

  const limits = (): Limits => ({ windows: windows(clock.now()), waiting: waiters.size });

  /** A pass as soon as a request may be sent. Fails once that is certain to be after `latestMs`. */
  const enter = (latestMs: number, signal: AbortSignal | undefined): Pass | Promise<Pass> => {
    const nowMs = clock.now();
    if (!isHolding || (!waiters.size && opensAtMs(nowMs) <= nowMs)) return pass(nowMs);
    return new Promise((resolve) => {
      const number = next++;
      const settle = (outcome: Pass | Promise<Pass>): void => {
        waiters.delete(number);
        stopListening();
        resolve(outcome);
      };
      const stopListening = onAbort(signal, () => {
        settle(Promise.reject(aborted(signal)));
        update(clock.now());
      });
      waiters.set(number, { latestMs, settle });
      earliestMs = Math.min(earliestMs, latestMs);
      update(nowMs);
    });
  };

  /** The request is over, or was not sent at all. */
  const leave = (ended: Pass, outcome: Outcome): void => {
    const nowMs = clock.now();
    end(ended, outcome, nowMs);
    update(nowMs);
  };

  /** Turns away whoever is late, or will be, lets pass whoever may, and sees to it that the others are woken. */
  const update = (nowMs: number): void => {
    const untilMs = Math.max(nowMs, refusedUntilMs());
    // They are not looked for with every answer: they may be very many.
    if (earliestMs < untilMs) {
      earliestMs = Infinity;
      for (const { latestMs, settle } of waiters.values())
        if (latestMs < untilMs) settle(Promise.reject(tooLong(untilMs - nowMs)));
        else earliestMs = Math.min(earliestMs, latestMs);
    }
    while (waiters.size && opensAtMs(nowMs) <= nowMs) waiters.get(first++)?.settle(pass(nowMs));
    setAlarm(waiters.size && Math.min(opensAtMs(nowMs), earliestMs + 1), nowMs);
  };
  const setAlarm = createAlarm(clock, () => update(clock.now()));

  return [enter, leave, limits] as const;
}

/** Wakes those that wait, if no answer does. Set to 0, it is off. */
function createAlarm(clock: ClientClock, ring: () => void) {
  let setToMs = 0;
  let off: AbortController | undefined;
  return (atMs: number, nowMs: number): void => {
    // One that goes off too early is set anew then.
    if (setToMs && setToMs <= atMs) return;
    setToMs = atMs;
    off?.abort();
    if (!atMs) return;
    off = new AbortController();
    const { signal } = off;
    void clock.sleep(atMs - nowMs, signal).then(() => {
      if (signal.aborted) return;
      setToMs = 0;
      ring();
    });
  };
}

const tooLong = (waitMs: number): AnimalStoreError =>
  new AnimalStoreError({
    code: "wait_too_long",
    message: `${waitMs ? `The key is refused for ${Math.ceil(waitMs / 1000)} s more` : "No answers come"}. Raise maxWaitMs, or try later.`,
    retryAfterMs: Math.ceil(waitMs) || undefined,
  });
