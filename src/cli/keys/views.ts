import { DAY_MS, MINUTE_MS } from "../../base/time/clock.ts";
import { type Key, stateOf } from "../../domain/keys/key.ts";
import { READ_SCOPES, SCOPES, type Scope } from "../../domain/keys/scope.ts";
import type { ListedKey } from "../../keys/queries/list.ts";
import type { Tone } from "../terminal/colour.ts";
import { formatMinute, formatNumber, formatTime, isoTime, timeOrNull } from "../terminal/print.ts";
import type { Column, Facts } from "../terminal/table.ts";

// Keys as rows and facts for people, and as objects for scripts.

export const jsonOfKey = (key: Key, nowMs: number) => ({
  id: key.id,
  name: key.name,
  plan: key.plan,
  perMinute: key.quotas.perMinute,
  perDay: key.quotas.perDay,
  scopes: key.scopes,
  rotation: key.mayRotate,
  state: stateOf(key, nowMs),
  createdAt: isoTime(key.createdAtMs),
  expiresAt: timeOrNull(key.expiresAtMs),
  revokedAt: timeOrNull(key.revokedAtMs),
  suspendedAt: timeOrNull(key.suspendedAtMs),
  lastUsedAt: timeOrNull(key.lastUsedAtMs),
});

const STATE_TONES: Readonly<Record<ListedKey["state"], Tone>> = {
  active: "good",
  banned: "problem",
  suspended: "warning",
  expired: "warning",
  revoked: "quiet",
};

/** Ranked by importance: a terminal may not have room for all columns. */
export const KEY_COLUMNS: readonly Column<ListedKey>[] = [
  { title: "ID", text: ({ key }) => key.id },
  { title: "NAME", shrinksTo: 16, text: ({ key }) => key.name },
  { title: "PLAN", rank: 2, text: ({ key }) => key.plan },
  { title: "PER MINUTE", align: "right", rank: 4, text: ({ key }) => formatNumber(key.quotas.perMinute) },
  { title: "PER DAY", align: "right", rank: 4, text: ({ key }) => formatNumber(key.quotas.perDay) },
  { title: "STATE", text: stateText, tone: ({ state }) => STATE_TONES[state] },
  { title: "LAST USED", rank: 1, text: ({ key }) => minuteOrNever(key.lastUsedAtMs) },
  { title: "EXPIRES", rank: 3, text: ({ key }) => endOfDate(key.expiresAtMs) ?? minuteOrNever(key.expiresAtMs) },
  { title: "SCOPES", rank: 5, text: ({ key }) => shortScopes(key.scopes) },
  { title: "CREATED", rank: 6, text: ({ key }) => formatMinute(key.createdAtMs) },
];

function stateText({ state, bannedUntilMs }: ListedKey): string {
  return bannedUntilMs === undefined ? state : `banned until ${minuteAfter(bannedUntilMs)}`;
}

export const minuteOrNever = (ms: number | undefined): string => (ms === undefined ? "never" : formatMinute(ms));

/** Rounded up to the minute, so that a ban does not outlast it. */
const minuteAfter = (ms: number): string => formatMinute(Math.ceil(ms / MINUTE_MS) * MINUTE_MS);

function shortScopes(scopes: readonly Scope[]): string {
  if (scopes.length === SCOPES.length) return "all";
  return isReadOnly(scopes) ? "read-only" : scopes.join(",");
}

const isReadOnly = (scopes: readonly Scope[]): boolean =>
  scopes.length === READ_SCOPES.length && scopes.every((scope) => READ_SCOPES.includes(scope));

/** The id, and everything that can be edited; rotation only where it is on, as few keys have it. */
export const factsOfKey = (key: Key): Facts =>
  editableFacts(key).filter(([label]) => label !== "rotation" || key.mayRotate);

const editableFacts = (key: Key): Facts => [
  ["id", key.id],
  ["name", key.name],
  ["plan", planWithQuotas(key)],
  ["scopes", longScopes(key.scopes)],
  ["rotation", key.mayRotate ? "on (the holder may rotate the secret)" : "off"],
  ["expires", expiry(key.expiresAtMs)],
];

const planWithQuotas = ({ plan, quotas }: Key): string =>
  `${plan} (${formatNumber(quotas.perMinute)} per minute, ${formatNumber(quotas.perDay)} per day)`;

function longScopes(scopes: readonly Scope[]): string {
  if (scopes.length === SCOPES.length) return "all";
  const list = scopes.join(", ");
  return isReadOnly(scopes) ? `${list} (read-only)` : list;
}

function expiry(ms: number | undefined): string {
  if (ms === undefined) return "never";
  const date = endOfDate(ms);
  return date === undefined ? formatTime(ms) : `${date} (${formatTime(ms)})`;
}

/** A date means its end; shown as the start of the next day, it would look like a mistake. */
const endOfDate = (ms: number | undefined): string | undefined =>
  ms !== undefined && ms % DAY_MS === 0 ? `end of ${formatTime(ms - 1).slice(0, "2027-01-31".length)}` : undefined;

/** The facts that differ, each with both values. */
export const changedFacts = (before: Key, after: Key): Facts => {
  const old = new Map(editableFacts(before));
  return editableFacts(after)
    .filter(([label, value]) => old.get(label) !== value)
    .map(([label, value]) => [label, `${old.get(label)} → ${value}`]);
};
