/** The time, as a port: tests need not wait. */
export interface Clock {
  nowMs(): number;
}

/** The system's time, which people and time servers set, with a monotonic clock, which nobody sets. */
export interface SystemTime extends Clock {
  monotonicMs(): number;
}

export const systemClock: SystemTime = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** A clock whose two times are in memory that threads share: whoever sets them sets the clock of all threads. */
export function clockIn(memory: SharedArrayBuffer): SystemTime {
  const [nowAt, monotonicAt] = [0, 1];
  const numbers = new Float64Array(memory);
  return { nowMs: () => numbers[nowAt] as number, monotonicMs: () => numbers[monotonicAt] as number };
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Milliseconds as whole seconds, rounded up. */
export const toWholeSeconds = (ms: number): number => Math.ceil(ms / SECOND_MS);

/** Time servers correct a clock by less than this between two readings. More is a jump. */
const JUMP_MS = MINUTE_MS;
/** A jump that has lasted this long was intended. */
const JUMP_BELIEVED_AFTER_MS = HOUR_MS;

export type SteadyClock = ReturnType<typeof steadyClock>;

/**
 * The time without jumps, to decide what has expired: a clock that is wrong for a moment must not expire everything. It
 * follows corrections at once, and a jump in either direction once it has lasted an hour.
 */
export function steadyClock(time: SystemTime) {
  const startedAtMs = time.monotonicMs();
  let offsetMs = time.nowMs() - startedAtMs;
  let jump: { offsetMs: number; readonly seenAtMs: number } | undefined;
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) < JUMP_MS;

  function nowMs(): number {
    const monotonicMs = time.monotonicMs();
    const currentOffsetMs = time.nowMs() - monotonicMs;
    if (isNear(currentOffsetMs, offsetMs)) jump = undefined;
    else if (jump && isNear(currentOffsetMs, jump.offsetMs)) jump.offsetMs = currentOffsetMs;
    else jump = { offsetMs: currentOffsetMs, seenAtMs: monotonicMs };
    if (!jump || monotonicMs - jump.seenAtMs >= JUMP_BELIEVED_AFTER_MS) {
      offsetMs = currentOffsetMs;
      jump = undefined;
    }
    return Math.round(monotonicMs + offsetMs);
  }

  return {
    nowMs,
    /**
     * The time, if the clock has not jumped for an hour; undefined before that. Irreversible work waits for it: at a
     * start, a wrong clock cannot be told from a right one.
     */
    settledMs(): number | undefined {
      const steadyMs = nowMs();
      const isSettled = !jump && time.monotonicMs() - startedAtMs >= JUMP_BELIEVED_AFTER_MS;
      return isSettled ? steadyMs : undefined;
    },
  };
}
