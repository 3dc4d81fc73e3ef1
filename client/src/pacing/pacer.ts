import { AnimalStoreError, aborted } from "../error.ts";
import { onAbort } from "../on-abort.ts";
import type { ClientClock } from "../options.ts";
import type { Limits } from "./limits.ts";
import { createQuotaStatus, type Outcome, type Pass } from "./quota-status.ts";

interface Waiter {
  readonly latestMs: number;
  readonly settle: (outcome: Pass | Promise<Pass>) => void;
}

export type Pacer = ReturnType<typeof createPacer>;

/** Holds calls back until their requests may be sent, first in, first out. */
export function createPacer(clock: ClientClock, isHolding: boolean) {
  const [windows, refusedUntilMs, opensAtMs, pass, end] = createQuotaStatus();
  /** Keyed by arrival number: a Set would be slow to find its first entry after thousands have been deleted. */
  const waiters = new Map<number, Waiter>();
  let first = 0;
  let next = 0;
  /** A lower bound of the deadlines of all waiters. */
  let earliestMs = Infinity;

  const limits = (): Limits => ({ windows: windows(clock.now()), waiting: waiters.size });

  /** Grants a pass as soon as a request may be sent. Rejects once that is certain to be after `latestMs`. */
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

  /** Returns the pass of a request that has ended, or was not sent at all. */
  const leave = (ended: Pass, outcome: Outcome): void => {
    const nowMs = clock.now();
    end(ended, outcome, nowMs);
    update(nowMs);
  };

  /** Rejects waiters that will miss their deadlines, admits those that may go, and sets the alarm for the rest. */
  const update = (nowMs: number): void => {
    const untilMs = Math.max(nowMs, refusedUntilMs());
    // There may be thousands of waiters, so they are not all checked on every response.
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

/** Wakes the waiters if no response does. Setting it to 0 turns it off. */
function createAlarm(clock: ClientClock, ring: () => void) {
  let setToMs = 0;
  let off: AbortController | undefined;
  return (atMs: number, nowMs: number): void => {
    // An alarm that rings too early is simply set again.
    if (setToMs && setToMs <= atMs) return;
    setToMs = atMs;
    // Without a reason, Node would make an exception with a stack, each time.
    off?.abort("off");
    off = undefined;
    if (!atMs) return;
    off = new AbortController();
    const { signal } = off;
    void clock.sleep(atMs - nowMs, signal).then(() => {
      if (signal.aborted) return;
      setToMs = 0;
      off = undefined;
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
