/** Time as a port, so that tests need not wait. */
export interface Clock {
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Milliseconds as whole seconds, rounded up. */
export const toWholeSeconds = (ms: number): number => Math.ceil(ms / SECOND_MS);
