import { type Key, type KeyState, stateOf } from "../../domain/keys/key.ts";
import { applyUnban, type BanRecord, isBanned, ladderOf } from "../../domain/limits/ban.ts";
import { copyOfTally, newTally, ratePolicyOfKey, strikesLeft, type Tally } from "../../domain/limits/tally.ts";
import { type Count, closeIfOver, DAY, MINUTE, type Window } from "../../domain/limits/window.ts";

export type WindowUse = ReturnType<typeof windowUse>;

/** The used part of quotas, the end of a ban, and the length of the next one. */
export type KeyUse = ReturnType<typeof useOf>;

/** Applies the rules for requests, without changing the tally. */
export function useOf(key: Key, tally: Tally | undefined, nowMs: number) {
  const counted = tally ? copyOfTally(tally) : newTally();
  const { minute, day, banRecord } = counted;
  applyUnban(banRecord, key.unbannedAtMs ?? -1);
  return {
    minute: windowUse(minute, MINUTE, key.quotas.perMinute, nowMs),
    day: windowUse(day, DAY, key.quotas.perDay, nowMs),
    bannedUntilMs: endOfBan(banRecord, nowMs),
    ladder: ladderOf(banRecord, nowMs),
    /** The number of further refused requests in this minute that lead to a ban. */
    strikesLeft: strikesLeft(counted, ratePolicyOfKey(key.quotas, key.unbannedAtMs), nowMs),
  };
}

/** The end of the ban, if there is one: all that a list of keys needs of a tally. */
export function banEndOf(key: Key, tally: Tally | undefined, nowMs: number): number | undefined {
  if (!tally) return undefined;
  const banRecord = { ...tally.banRecord };
  applyUnban(banRecord, key.unbannedAtMs ?? -1);
  return endOfBan(banRecord, nowMs);
}

const endOfBan = (record: BanRecord, nowMs: number): number | undefined =>
  isBanned(record, nowMs) ? record.bannedUntilMs : undefined;

/** The state of a key, including a ban, which only its tally tells. */
export type TrueState = KeyState | "banned";

export const TRUE_STATES: readonly TrueState[] = ["active", "banned", "suspended", "expired", "revoked"];

/** A ban comes last among the reasons why a key does not work: it passes by itself. */
export function trueStateOf(key: Key, bannedUntilMs: number | undefined, nowMs: number): TrueState {
  const state = stateOf(key, nowMs);
  return state === "active" && bannedUntilMs !== undefined ? "banned" : state;
}

function windowUse(count: Count, window: Window, quota: number, nowMs: number) {
  closeIfOver(count, window, nowMs);
  return {
    quota,
    used: count.used,
    remaining: Math.max(0, quota - count.used),
    /** Undefined when the window is not open. */
    resetsAtMs: count.used > 0 ? count.openedAtMs + window.lengthMs : undefined,
  };
}
