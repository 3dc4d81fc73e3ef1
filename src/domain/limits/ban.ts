import { DAY_MS, MINUTE_MS } from "../../base/time/clock.ts";
import { type Count, isOpen, isWithin, MINUTE } from "./window.ts";

/** The length of the first ban, the second, and so on. Further bans are as long as the last. */
export const BAN_LADDER_MS = [1, 5, 30, 60].map((minutes) => minutes * MINUTE_MS);

/** After this much time without a ban, the next one starts at the first step again. */
export const BAN_MEMORY_MS = DAY_MS;

/** However small the quota, a key is never banned for fewer strikes than this. */
export const STRIKES_TO_BAN_MIN = 60;

/** The number of strikes within one minute window that lead to a ban. */
export const strikesToBan = (perMinute: number): number => Math.max(STRIKES_TO_BAN_MIN, perMinute);

/** A subject's record of strikes and bans. */
export type BanRecord = ReturnType<typeof newBanRecord>;

export const newBanRecord = () => ({
  strikes: 0,
  /** Start of the minute in which these strikes are counted. */
  strikesSinceMs: 0,
  bannedAtMs: 0,
  bannedUntilMs: 0,
  bansInARow: 0,
});

export const isBanned = (record: BanRecord, nowMs: number): boolean =>
  record.bansInARow > 0 && isWithin(record.bannedAtMs, record.bannedUntilMs - record.bannedAtMs, nowMs);

/** Lifts a ban that began at or before the unban; the next ban starts at the first step of the ladder. */
export function applyUnban(record: BanRecord, unbannedAtMs: number): void {
  if (record.bansInARow > 0 && record.bannedAtMs <= unbannedAtMs) record.bansInARow = 0;
}

export const isLadderForgotten = (record: BanRecord, nowMs: number): boolean =>
  record.bansInARow === 0 ||
  !isWithin(record.bannedAtMs, record.bannedUntilMs - record.bannedAtMs + BAN_MEMORY_MS, nowMs);

export const ladderForgottenAtMs = ({ bansInARow, bannedUntilMs }: BanRecord): number =>
  bansInARow > 0 ? bannedUntilMs + BAN_MEMORY_MS : 0;

/** Merges two records of one subject: the longer ban, the higher step of the ladder, and the later strikes. */
export function stricterRecord(a: BanRecord, b: BanRecord, nowMs: number): BanRecord {
  const bansOf = (record: BanRecord) => (isLadderForgotten(record, nowMs) ? 0 : record.bansInARow);
  const endOf = (record: BanRecord) => (bansOf(record) > 0 ? record.bannedUntilMs : 0);
  const { bannedAtMs, bannedUntilMs } = endOf(a) >= endOf(b) ? a : b;
  const isSameMinute = a.strikesSinceMs === b.strikesSinceMs;
  const struck = a.strikesSinceMs > b.strikesSinceMs || (isSameMinute && a.strikes >= b.strikes) ? a : b;
  const { strikes, strikesSinceMs } = struck;
  return { strikes, strikesSinceMs, bannedAtMs, bannedUntilMs, bansInARow: Math.max(bansOf(a), bansOf(b)) };
}

/** A subject's place on the ladder of bans. */
export function ladderOf(record: BanRecord, nowMs: number) {
  const bansInARow = isLadderForgotten(record, nowMs) ? 0 : record.bansInARow;
  return {
    bansInARow,
    /** The length of the next ban, if it began now. */
    nextBanMs: banMsAfter(bansInARow),
    /** The time when it starts again at the first step; undefined if it is on it. */
    forgottenAtMs: bansInARow > 0 ? ladderForgottenAtMs(record) : undefined,
  };
}

const banMsAfter = (bansInARow: number): number =>
  BAN_LADDER_MS[Math.min(bansInARow, BAN_LADDER_MS.length - 1)] as number;

/**
 * Start of the minute in which a strike would be counted now: the open minute window, or if none is open (only the day
 * quota is exhausted), a minute from the first strike.
 */
function strikeMinute(record: BanRecord, minute: Count, nowMs: number): number {
  if (isOpen(minute, MINUTE, nowMs)) return minute.openedAtMs;
  return isWithin(record.strikesSinceMs, MINUTE_MS, nowMs) ? record.strikesSinceMs : nowMs;
}

/** The number of further strikes in this minute that lead to a ban. */
export function strikesUntilBan(record: BanRecord, threshold: number, minute: Count, nowMs: number): number {
  const isThisMinute = strikeMinute(record, minute, nowMs) === record.strikesSinceMs;
  // A threshold may have been lowered below the present strikes: then the next strike leads to a ban.
  return Math.max(1, threshold - (isThisMinute ? record.strikes : 0));
}

/**
 * Records a strike, and bans when there are too many.
 * Returns how many more strikes lead to a ban: 0 if this one did.
 */
export function strike(record: BanRecord, threshold: number, minute: Count, nowMs: number): number {
  const sinceMs = strikeMinute(record, minute, nowMs);
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
  record.bannedAtMs = nowMs;
  record.bannedUntilMs = nowMs + banMsAfter(record.bansInARow);
  record.bansInARow++;
  record.strikes = 0;
}
