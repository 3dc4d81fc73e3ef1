import type { Quotas } from "../keys/plan.ts";
import {
  applyUnban,
  type BanRecord,
  isBanned,
  isLadderForgotten,
  ladderForgottenAtMs,
  newBanRecord,
  stricterRecord,
  strike,
  strikesToBan,
  strikesUntilBan,
} from "./ban.ts";
import {
  type Count,
  closeIfOver,
  DAY,
  follow,
  fullerCount,
  isOpen,
  isWithin,
  MINUTE,
  newCount,
  tighter,
  use,
  type WindowStatus,
  windowStatus,
} from "./window.ts";

/** Everything counted for one subject: a key, or the address of a caller without a valid key. */
export interface Tally {
  readonly minute: Count;
  readonly day: Count;
  readonly banRecord: BanRecord;
}

/** The names under which the numbers of a tally are stored, in the database and in Redis. */
export const TALLY_NUMBER_NAMES = [
  "minute_opened_at",
  "minute_used",
  "day_opened_at",
  "day_used",
  "strikes",
  "strikes_since",
  "banned_at",
  "banned_until",
  "bans_in_a_row",
];

/** Fills a tally from numbers in the order of their names. It is written out, because every request needs it. */
export function readTally({ minute, day, banRecord }: Tally, numbers: ArrayLike<number>, at: number): void {
  minute.openedAtMs = numbers[at] as number;
  minute.used = numbers[at + 1] as number;
  day.openedAtMs = numbers[at + 2] as number;
  day.used = numbers[at + 3] as number;
  banRecord.strikes = numbers[at + 4] as number;
  banRecord.strikesSinceMs = numbers[at + 5] as number;
  banRecord.bannedAtMs = numbers[at + 6] as number;
  banRecord.bannedUntilMs = numbers[at + 7] as number;
  banRecord.bansInARow = numbers[at + 8] as number;
}

/** The inverse of readTally. */
export function writeTally({ minute, day, banRecord }: Tally, numbers: { [index: number]: number }, at: number): void {
  numbers[at] = minute.openedAtMs;
  numbers[at + 1] = minute.used;
  numbers[at + 2] = day.openedAtMs;
  numbers[at + 3] = day.used;
  numbers[at + 4] = banRecord.strikes;
  numbers[at + 5] = banRecord.strikesSinceMs;
  numbers[at + 6] = banRecord.bannedAtMs;
  numbers[at + 7] = banRecord.bannedUntilMs;
  numbers[at + 8] = banRecord.bansInARow;
}

/** The numbers of a tally, in the order of their names. */
export function tallyNumbers(tally: Tally): number[] {
  const numbers: number[] = [];
  writeTally(tally, numbers, 0);
  return numbers;
}

/** The tally with these numbers, in the order of their names. */
export function tallyOfNumbers(numbers: readonly number[]): Tally {
  const tally = newTally();
  readTally(tally, numbers, 0);
  return tally;
}

export const copyOfTally = (tally: Tally): Tally => tallyOfNumbers(tallyNumbers(tally));

export const newTally = (): Tally => ({ minute: newCount(), day: newCount(), banRecord: newBanRecord() });

/** The limits that a subject's requests are judged by. */
export interface RatePolicy {
  readonly perMinute: number;
  /** Without it, there is no day window. */
  readonly perDay?: number;
  /** Without it, strikes never lead to a ban. */
  readonly strikesToBan?: number;
  /** An operator lifted the bans that began at or before this moment. */
  readonly unbannedAtMs: number;
}

/** Unlike an address, a key can be banned. */
export type KeyRatePolicy = RatePolicy & { readonly strikesToBan: number };

export const ratePolicyOfKey = (quotas: Quotas, unbannedAtMs: number | undefined): KeyRatePolicy => ({
  perMinute: quotas.perMinute,
  perDay: quotas.perDay,
  strikesToBan: strikesToBan(quotas.perMinute),
  unbannedAtMs: unbannedAtMs ?? -1,
});

/** An address has one window and is never banned: others may share it, and must not be locked out for long. */
export const ratePolicyOfAddress = (perMinute: number): RatePolicy => ({ perMinute, unbannedAtMs: -1 });

/** The state of a subject's quotas after a request was judged; every response shows it. */
export interface QuotaStatus {
  /** The time of the verdict, by the clock that it was made with. */
  readonly atMs: number;
  readonly minute: WindowStatus;
  readonly day: WindowStatus | undefined;
  /** The quota that will refuse first. */
  readonly shown: WindowStatus;
}

export type Verdict =
  | { readonly kind: "pass"; readonly quotaStatus: QuotaStatus }
  | { readonly kind: "exhausted"; readonly quotaStatus: QuotaStatus; readonly strikesLeft: number | undefined }
  | { readonly kind: "banned"; readonly quotaStatus: QuotaStatus; readonly isNew: boolean };

/**
 * The rule: check the ban, then the quotas, then count the request. It changes the tally and nothing else, so
 * its caller controls concurrency. Refused requests use no quota; those refused during a ban are not strikes.
 */
export function judge(tally: Tally, policy: RatePolicy, nowMs: number): Verdict {
  const { minute, day, banRecord } = tally;
  applyUnban(banRecord, policy.unbannedAtMs);
  closeIfOver(minute, MINUTE, nowMs);
  closeIfOver(day, DAY, nowMs);
  if (isBanned(banRecord, nowMs))
    return { kind: "banned", quotaStatus: quotaStatusOf(tally, policy, nowMs), isNew: false };

  const isExhausted = minute.used >= policy.perMinute || (policy.perDay !== undefined && day.used >= policy.perDay);
  if (!isExhausted) {
    use(minute, nowMs);
    if (policy.perDay !== undefined) use(day, nowMs);
    return { kind: "pass", quotaStatus: quotaStatusOf(tally, policy, nowMs) };
  }

  if (policy.strikesToBan === undefined)
    return { kind: "exhausted", quotaStatus: quotaStatusOf(tally, policy, nowMs), strikesLeft: undefined };
  const strikesLeft = strike(banRecord, policy.strikesToBan, minute, nowMs);
  return strikesLeft > 0
    ? { kind: "exhausted", quotaStatus: quotaStatusOf(tally, policy, nowMs), strikesLeft }
    : { kind: "banned", quotaStatus: quotaStatusOf(tally, policy, nowMs), isNew: true };
}

/** The number of further refused requests in this minute that lead to a ban. */
export const strikesLeft = ({ minute, banRecord }: Tally, { strikesToBan }: KeyRatePolicy, nowMs: number): number =>
  strikesUntilBan(banRecord, strikesToBan, minute, nowMs);

/** The state of a tally's quotas. During a ban the minute quota shows as used up until the ban ends. */
export function quotaStatusOf(tally: Tally, policy: RatePolicy, nowMs: number): QuotaStatus {
  const day = policy.perDay === undefined ? undefined : windowStatus(tally.day, DAY, policy.perDay, nowMs);
  const minute = windowStatus(tally.minute, MINUTE, policy.perMinute, nowMs);
  if (isBanned(tally.banRecord, nowMs)) {
    const banned = { ...minute, remaining: 0, resetAtMs: tally.banRecord.bannedUntilMs };
    return { atMs: nowMs, minute: banned, day, shown: banned };
  }
  return { atMs: nowMs, minute, day, shown: day ? tighter(minute, day) : minute };
}

/** Everything in the tally has expired: discarding it changes no verdict. */
export const isSpent = ({ minute, day, banRecord }: Tally, nowMs: number): boolean =>
  !isOpen(minute, MINUTE, nowMs) &&
  !isOpen(day, DAY, nowMs) &&
  !isWithin(banRecord.strikesSinceMs, MINUTE.lengthMs, nowMs) &&
  isLadderForgotten(banRecord, nowMs);

/** The time from which on a tally is spent. */
export const spentAtMs = ({ minute, day, banRecord }: Tally): number =>
  Math.max(
    minute.used > 0 ? minute.openedAtMs + MINUTE.lengthMs : 0,
    day.used > 0 ? day.openedAtMs + DAY.lengthMs : 0,
    banRecord.strikesSinceMs + MINUTE.lengthMs,
    ladderForgottenAtMs(banRecord),
  );

/** Merges what two places have counted for one subject: neither a count nor a ban is lowered. */
export const stricterTally = (a: Tally, b: Tally, nowMs: number): Tally => ({
  minute: fullerCount(a.minute, b.minute, MINUTE, nowMs),
  day: fullerCount(a.day, b.day, DAY, nowMs),
  banRecord: stricterRecord(a.banRecord, b.banRecord, nowMs),
});

/** Brings what one instance has counted up to what all have counted together; a ban that ends later stays. */
export function followTally({ minute, day, banRecord }: Tally, shared: Tally): void {
  follow(minute, shared.minute);
  follow(day, shared.day);
  if (banRecord.bannedUntilMs <= shared.banRecord.bannedUntilMs) Object.assign(banRecord, shared.banRecord);
}

/** The opening of the first of its open windows. When memory is short, the tally with the earliest one is dropped. */
export const firstOpenedAtMs = ({ minute, day }: Tally): number =>
  day.used > 0 ? Math.min(minute.openedAtMs, day.openedAtMs) : minute.openedAtMs;

/** The greatest difference between the clocks of threads that count together. */
const CLOCK_SKEW_MAX_MS = 1_000;

/**
 * The moment to judge by: now, or the latest time in the tally, if a clock that is slightly ahead wrote it. Otherwise a
 * window that opens a millisecond from now would seem to be ended by a clock that was set back.
 */
export function momentFor({ minute, day, banRecord }: Tally, nowMs: number): number {
  const lastMs = Math.max(minute.openedAtMs, day.openedAtMs, banRecord.strikesSinceMs, banRecord.bannedAtMs);
  return lastMs > nowMs && lastMs - nowMs <= CLOCK_SKEW_MAX_MS ? lastMs : nowMs;
}
