import { type Key, stateOf } from "../domain/key.ts";
import type { KeyUse, WindowUse } from "../keys/show-use.ts";
import { formatNumber, formatTime } from "./print.ts";

// How keys look: rows and facts for people, objects for scripts.

const timeOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : formatTime(ms));

export const jsonOfKey = (key: Key, nowMs: number) => ({
  id: key.id,
  name: key.name,
  plan: key.plan,
  perMinute: key.quotas.perMinute,
  perDay: key.quotas.perDay,
  state: stateOf(key, nowMs),
  createdAt: formatTime(key.createdAtMs),
  expiresAt: timeOrNull(key.expiresAtMs),
  revokedAt: timeOrNull(key.revokedAtMs),
});

export const TABLE_HEAD = ["ID", "NAME", "PLAN", "PER MINUTE", "PER DAY", "STATE", "EXPIRES", "CREATED"];

export const rowOfKey = (key: Key, nowMs: number): string[] => [
  key.id,
  key.name,
  key.plan,
  formatNumber(key.quotas.perMinute),
  formatNumber(key.quotas.perDay),
  stateOf(key, nowMs),
  timeOrNull(key.expiresAtMs) ?? "never",
  formatTime(key.createdAtMs),
];

export const factsOfKey = (key: Key, nowMs: number): [string, string][] => [
  ["id", key.id],
  ["name", key.name],
  [
    "plan",
    `${key.plan} (${formatNumber(key.quotas.perMinute)} per minute, ${formatNumber(key.quotas.perDay)} per day)`,
  ],
  ["state", stateOf(key, nowMs)],
  ["expires", timeOrNull(key.expiresAtMs) ?? "never"],
];

export const jsonOfUse = ({ minute, day, bannedUntilMs }: KeyUse) => ({
  minute: jsonOfWindow(minute),
  day: jsonOfWindow(day),
  bannedUntil: timeOrNull(bannedUntilMs),
});

const jsonOfWindow = ({ used, remaining, resetsAtMs }: WindowUse) => ({
  used,
  remaining,
  resetsAt: timeOrNull(resetsAtMs),
});

export const factsOfUse = ({ minute, day, bannedUntilMs }: KeyUse): [string, string][] => [
  ["minute quota", usedAndLeft(minute)],
  ["day quota", usedAndLeft(day)],
  ["banned", bannedUntilMs === undefined ? "no" : `until ${formatTime(bannedUntilMs)}`],
];

const usedAndLeft = ({ used, remaining }: WindowUse): string =>
  `${formatNumber(used)} used, ${formatNumber(remaining)} left`;
