/** Time as a port, so that no test has to wait for it. */
export interface Clock {
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The first whole Unix second at or after a moment. */
export const toWholeSeconds = (ms: number): number => Math.ceil(ms / SECOND_MS);
