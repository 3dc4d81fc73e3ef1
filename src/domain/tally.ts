import { applyPardon, type Conduct, isBanned, isLadderForgotten, newConduct, strike, strikesToBan } from "./ban.ts";
import type { Quotas } from "./plan.ts";
import {
  type Count,
  closeIfOver,
  DAY,
  isWithin,
  MINUTE,
  newCount,
  type QuotaStanding,
  quotaStanding,
  tightest,
  use,
} from "./window.ts";

/** All that is counted for one subject: a key, or the address of a caller without one. */
export interface Tally {
  readonly minute: Count;
  readonly day: Count;
  readonly conduct: Conduct;
}

export const newTally = (): Tally => ({ minute: newCount(), day: newCount(), conduct: newConduct() });

/** What a subject's requests are judged by. */
export interface Terms {
  readonly perMinute: number;
  /** Absent: no day window. */
  readonly perDay?: number;
  /** Absent: strikes never lead to a ban. */
  readonly strikesToBan?: number;
  /** Bans that began at or before this moment were lifted by a person. */
  readonly pardonedAtMs: number;
}

export const termsOfKey = (quotas: Quotas, pardonedAtMs: number | undefined): Terms => ({
  perMinute: quotas.perMinute,
  perDay: quotas.perDay,
  strikesToBan: strikesToBan(quotas.perMinute),
  pardonedAtMs: pardonedAtMs ?? -1,
});

/** An address has one window and no bans: whoever shares it must not be shut out for long. */
export const termsOfAddress = (perMinute: number): Terms => ({ perMinute, pardonedAtMs: -1 });

/** How a subject's quotas stand after a request was judged; every answer shows it. */
export interface Standing {
  /** The moment that it was judged at, by the clock that it was judged by. */
  readonly atMs: number;
  readonly minute: QuotaStanding;
  readonly day: QuotaStanding | undefined;
  /** The one that X-RateLimit-* shows. */
  readonly shown: QuotaStanding;
}

export type Verdict =
  | { readonly kind: "pass"; readonly standing: Standing }
  | { readonly kind: "exhausted"; readonly standing: Standing; readonly strikesLeft: number | undefined }
  | { readonly kind: "banned"; readonly standing: Standing; readonly isNew: boolean };

/**
 * The rule: ban, then quotas, then count. It changes the tally and nothing else, so whoever keeps
 * tallies decides what happens at the same time. Refused requests use no quota; those refused
 * during a ban are no strikes.
 */
export function judge(tally: Tally, terms: Terms, nowMs: number): Verdict {
  const { minute, day, conduct } = tally;
  applyPardon(conduct, terms.pardonedAtMs);
  closeIfOver(minute, MINUTE, nowMs);
  closeIfOver(day, DAY, nowMs);
  if (isBanned(conduct, nowMs)) return { kind: "banned", standing: standingOf(tally, terms, nowMs), isNew: false };

  const isExhausted = minute.used >= terms.perMinute || (terms.perDay !== undefined && day.used >= terms.perDay);
  if (!isExhausted) {
    use(minute, nowMs);
    if (terms.perDay !== undefined) use(day, nowMs);
    return { kind: "pass", standing: standingOf(tally, terms, nowMs) };
  }

  if (terms.strikesToBan === undefined)
    return { kind: "exhausted", standing: standingOf(tally, terms, nowMs), strikesLeft: undefined };
  const minuteOpenedAtMs = minute.used > 0 ? minute.openedAtMs : undefined;
  const strikesLeft = strike(conduct, terms.strikesToBan, minuteOpenedAtMs, nowMs);
  return strikesLeft > 0
    ? { kind: "exhausted", standing: standingOf(tally, terms, nowMs), strikesLeft }
    : { kind: "banned", standing: standingOf(tally, terms, nowMs), isNew: true };
}

/** How the quotas of a tally stand. A ban hides the minute's quota, which cannot be used. */
export function standingOf(tally: Tally, terms: Terms, nowMs: number): Standing {
  const day = terms.perDay === undefined ? undefined : quotaStanding(tally.day, DAY, terms.perDay, nowMs);
  const minute = quotaStanding(tally.minute, MINUTE, terms.perMinute, nowMs);
  if (isBanned(tally.conduct, nowMs)) {
    const banned = { ...minute, remaining: 0, resetAtMs: tally.conduct.bannedUntilMs };
    return { atMs: nowMs, minute: banned, day, shown: banned };
  }
  return { atMs: nowMs, minute, day, shown: day ? tightest(minute, day) : minute };
}

/** A tally that says nothing any more: dropping it changes no verdict. */
export const isSpent = (tally: Tally, nowMs: number): boolean =>
  !(tally.minute.used > 0 && isWithin(tally.minute.openedAtMs, MINUTE.lengthMs, nowMs)) &&
  !(tally.day.used > 0 && isWithin(tally.day.openedAtMs, DAY.lengthMs, nowMs)) &&
  !isWithin(tally.conduct.strikesSinceMs, MINUTE.lengthMs, nowMs) &&
  !isBanned(tally.conduct, nowMs) &&
  isLadderForgotten(tally.conduct, nowMs);
