import { DAY_MS, MINUTE_MS } from "./clock.ts";
import { isWithin } from "./window.ts";

/** How long the first ban lasts, the second, and so on; the last step repeats. */
export const BAN_LADDER_MS = [1, 5, 30, 60].map((minutes) => minutes * MINUTE_MS);

/** A ladder is forgotten when this much time passes after a ban without another. */
export const BAN_MEMORY_MS = DAY_MS;

export const STRIKES_TO_BAN_MIN = 60;

/** How many strikes within one minute window lead to a ban. */
export const strikesToBan = (perMinute: number): number => Math.max(STRIKES_TO_BAN_MIN, perMinute);

/** A subject's record of strikes and bans. */
export interface Conduct {
  strikes: number;
  strikesSinceMs: number;
  bannedAtMs: number;
  bannedUntilMs: number;
  bansInARow: number;
}

export const newConduct = (): Conduct => ({
  strikes: 0,
  strikesSinceMs: 0,
  bannedAtMs: 0,
  bannedUntilMs: 0,
  bansInARow: 0,
});

export const isBanned = (conduct: Conduct, nowMs: number): boolean =>
  conduct.bansInARow > 0 && isWithin(conduct.bannedAtMs, conduct.bannedUntilMs - conduct.bannedAtMs, nowMs);

/** Lifts a ban that began at or before the pardon, and forgets the ladder with it. */
export function applyPardon(conduct: Conduct, pardonedAtMs: number): void {
  if (conduct.bansInARow > 0 && conduct.bannedAtMs <= pardonedAtMs) conduct.bansInARow = 0;
}

export const isLadderForgotten = (conduct: Conduct, nowMs: number): boolean =>
  conduct.bansInARow === 0 ||
  !isWithin(conduct.bannedAtMs, conduct.bannedUntilMs - conduct.bannedAtMs + BAN_MEMORY_MS, nowMs);

/**
 * Notes a strike, and bans when there are too many. Strikes add up within the minute window that
 * they fall into; where none is open (only the day is exhausted), within a minute of the first.
 * Returns how many more lead to a ban: 0 when this one did.
 */
export function strike(
  conduct: Conduct,
  strikesAllowed: number,
  minuteOpenedAtMs: number | undefined,
  nowMs: number,
): number {
  const goesOn = isWithin(conduct.strikesSinceMs, MINUTE_MS, nowMs);
  const sinceMs = minuteOpenedAtMs ?? (goesOn ? conduct.strikesSinceMs : nowMs);
  if (sinceMs !== conduct.strikesSinceMs) {
    conduct.strikesSinceMs = sinceMs;
    conduct.strikes = 0;
  }
  conduct.strikes++;
  if (conduct.strikes < strikesAllowed) return strikesAllowed - conduct.strikes;
  ban(conduct, nowMs);
  return 0;
}

function ban(conduct: Conduct, nowMs: number): void {
  if (isLadderForgotten(conduct, nowMs)) conduct.bansInARow = 0;
  const step = Math.min(conduct.bansInARow, BAN_LADDER_MS.length - 1);
  conduct.bannedAtMs = nowMs;
  conduct.bannedUntilMs = nowMs + (BAN_LADDER_MS[step] as number);
  conduct.bansInARow++;
  conduct.strikes = 0;
}
