import { isBanned } from "../domain/ban.ts";
import { type Key, stateOf } from "../domain/key.ts";
import { isSpent, newTally, type Tally } from "../domain/tally.ts";
import { type Count, DAY, isWithin, MINUTE, type Window } from "../domain/window.ts";
import { count, moment } from "./print.ts";

// How keys look: a row and facts for people, an object for scripts.

const momentOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : moment(ms));

export const jsonOfKey = (key: Key) => ({
  id: key.id,
  name: key.name,
  plan: key.plan,
  perMinute: key.quotas.perMinute,
  perDay: key.quotas.perDay,
  state: stateOf(key, Date.now()),
  createdAt: moment(key.createdAtMs),
  expiresAt: momentOrNull(key.expiresAtMs),
  revokedAt: momentOrNull(key.revokedAtMs),
});

export const TABLE_HEAD = ["ID", "NAME", "PLAN", "PER MINUTE", "PER DAY", "STATE", "EXPIRES", "CREATED"];

export const rowOfKey = (key: Key): string[] => [
  key.id,
  key.name,
  key.plan,
  count(key.quotas.perMinute),
  count(key.quotas.perDay),
  stateOf(key, Date.now()),
  momentOrNull(key.expiresAtMs) ?? "never",
  moment(key.createdAtMs),
];

export const factsOfKey = (key: Key): [string, string][] => [
  ["id", key.id],
  ["name", key.name],
  ["plan", `${key.plan} (${count(key.quotas.perMinute)} per minute, ${count(key.quotas.perDay)} per day)`],
  ["state", stateOf(key, Date.now())],
  ["expires", momentOrNull(key.expiresAtMs) ?? "never"],
];

/** What a key has used of its windows, and whether it is banned. */
export function jsonOfUse(key: Key, saved: Tally | undefined, nowMs: number) {
  const tally = saved && !isSpent(saved, nowMs) ? saved : newTally();
  const isPardoned = tally.conduct.bannedAtMs <= (key.pardonedAtMs ?? -1);
  return {
    minute: useOf(tally.minute, MINUTE, key.quotas.perMinute, nowMs),
    day: useOf(tally.day, DAY, key.quotas.perDay, nowMs),
    bannedUntil: isBanned(tally.conduct, nowMs) && !isPardoned ? moment(tally.conduct.bannedUntilMs) : null,
  };
}

function useOf(counted: Count, window: Window, quota: number, nowMs: number) {
  const isOpen = counted.used > 0 && isWithin(counted.openedAtMs, window.lengthMs, nowMs);
  const used = isOpen ? counted.used : 0;
  return {
    used,
    remaining: Math.max(0, quota - used),
    resetsAt: isOpen ? moment(counted.openedAtMs + window.lengthMs) : null,
  };
}
