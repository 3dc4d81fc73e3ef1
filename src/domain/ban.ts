import { DAY_MS, MINUTE_MS } from "./clock.ts";
import { isWithin } from "./window.ts";

/** How long the first ban lasts, the second, and so on; further bans last as long as the final step. */
export const BAN_LADDER_MS = [1, 5, 30, 60].map((minutes) => minutes * MINUTE_MS);

/** Bans start again at the first step when this much time has passed since the last ban ended. */
export const BAN_MEMORY_MS = DAY_MS;

/** However small the quota, a key is never banned for fewer strikes than this. */
export const STRIKES_TO_BAN_MIN = 60;

/** How many strikes within one minute window lead to a ban. */
export const strikesToBan = (perMinute: number): number => Math.max(STRIKES_TO_BAN_MIN, perMinute);

/** A subject's record of strikes and bans. */
export interface BanRecord {
  strikes: number;
  /** When the minute began in which these strikes add up. */
  strikesSinceMs: number;
  bannedAtMs: number;
  bannedUntilMs: number;
  bansInARow: number;
}

export const newBanRecord = (): BanRecord => ({
  strikes: 0,
  strikesSinceMs: 0,
  bannedAtMs: 0,
  bannedUntilMs: 0,
  bansInARow: 0,
});

export const isBanned = (record: BanRecord, nowMs: number): boolean =>
  record.bansInARow > 0 && isWithin(record.bannedAtMs, record.bannedUntilMs - record.bannedAtMs, nowMs);

/** Lifts a ban that began at or before the pardon; the next ban starts at the first step of the ladder. */
export function applyPardon(record: BanRecord, pardonedAtMs: number): void {
  if (record.bansInARow > 0 && record.bannedAtMs <= pardonedAtMs) record.bansInARow = 0;
}

export const isLadderForgotten = (record: BanRecord, nowMs: number): boolean =>
  record.bansInARow === 0 ||
  !isWithin(record.bannedAtMs, record.bannedUntilMs - record.bannedAtMs + BAN_MEMORY_MS, nowMs);

/**
 * Records a strike, and bans when there are too many. Strikes add up within the open minute window; when
 * none is open (only the day quota is exhausted), within a minute of the first strike.
 * Returns how many more strikes lead to a ban: 0 if this one did.
 */
export function strike(
  record: BanRecord,
  threshold: number,
  minuteOpenedAtMs: number | undefined,
  nowMs: number,
): number {
  const isSameMinute = isWithin(record.strikesSinceMs, MINUTE_MS, nowMs);
  const sinceMs = minuteOpenedAtMs ?? (isSameMinute ? record.strikesSinceMs : nowMs);
  if (sinceMs !== record.strikesSinceMs) {
    record.strikesSinceMs = sinceMs;
    record.strikes = 0;
  }
  record.strikes++;
  if (record.strikes < threshold) return threshold - record.strikes;
  ban(record, nowMs);
  return 0;
}

function ban(record: BanRecord, nowMs: number): void {
  if (isLadderForgotten(record, nowMs)) record.bansInARow = 0;
  const step = Math.min(record.bansInARow, BAN_LADDER_MS.length - 1);
  record.bannedAtMs = nowMs;
  record.bannedUntilMs = nowMs + (BAN_LADDER_MS[step] as number);
  record.bansInARow++;
  record.strikes = 0;
}
