import { DAY_MS } from "../../src/base/time/clock.ts";
import type { KeyRowView, WindowView } from "../../src/console/api/index.ts";
import { PLANS, type Plan } from "../../src/domain/keys/plan.ts";
import { SCOPES, type Scope } from "../../src/domain/keys/scope.ts";
import type { UsageRefusal } from "../../src/domain/usage/usage.ts";
import { grouped } from "./numbers.ts";
import { ahead, calendarDay, moment, upToMinute } from "./time.ts";

// What there is to say about keys.

/** How much it needs a person: `good` and `quiet` do not. */
export type Tone = "good" | "quiet" | "warning" | "problem";

export interface StateWords {
  readonly text: string;
  readonly tone: Tone;
}

const EXPIRES_SOON_MS = 14 * DAY_MS;

type Stateful = Pick<KeyRowView, "state" | "bannedUntilMs" | "expiresAtMs">;

/** Active; Expires in 46 days; Banned until 14:36; Suspended; Expired 3 Oct; Revoked */
export function stateWords({ state, bannedUntilMs, expiresAtMs }: Stateful, nowMs: number, zone?: string): StateWords {
  if (state === "revoked") return { text: "Revoked", tone: "problem" };
  if (state === "suspended") return { text: "Suspended", tone: "quiet" };
  if (state === "expired")
    return {
      text: expiresAtMs === null ? "Expired" : `Expired ${calendarDay(expiresAtMs, nowMs, zone)}`,
      tone: "quiet",
    };
  if (state === "banned")
    return {
      text: bannedUntilMs === null ? "Banned" : `Banned until ${moment(upToMinute(bannedUntilMs), nowMs, zone)}`,
      tone: "warning",
    };
  if (expiresAtMs === null) return { text: "Active", tone: "good" };
  const isSoon = expiresAtMs - nowMs < EXPIRES_SOON_MS;
  return { text: `Expires ${ahead(expiresAtMs, nowMs)}`, tone: isSoon ? "warning" : "good" };
}

const RESOURCES = ["pets", "orders"] as const;

/** Everything; Read; Pets, orders; Pets, read orders */
export function accessWords(scopes: readonly Scope[]): string {
  if (SCOPES.every((scope) => scopes.includes(scope))) return "Everything";
  if (scopes.length === 0) return "Nothing";
  const may = (resource: string, verb: string): boolean =>
    (scopes as readonly string[]).includes(`${resource}:${verb}`);
  if (RESOURCES.every((resource) => may(resource, "read") && !may(resource, "write"))) return "Read";
  const words = RESOURCES.flatMap((resource) => {
    if (may(resource, "read") && may(resource, "write")) return [resource];
    if (may(resource, "read")) return [`read ${resource}`];
    return may(resource, "write") ? [`write ${resource}`] : [];
  });
  return capitalized(words.join(", "));
}

export const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

export const planName = (plan: Plan): string => capitalized(plan);

export const quotasWords = (quotas: { readonly perMinute: number; readonly perDay: number }): string =>
  `${grouped(quotas.perMinute)} a minute, ${grouped(quotas.perDay)} a day`;

/** Pro: 300 a minute, 10,000 a day */
export function planWords(plan: Plan): string {
  const quotas = PLANS[plan];
  return `${planName(plan)}: ${quotas ? quotasWords(quotas) : "quotas of its own"}`;
}

/** 31,044 of 100,000 */
export const usedWords = ({ used, quota }: WindowView): string => `${grouped(used)} of ${grouped(quota)}`;

/** From here on, somebody should look at a quota. */
const NEARLY_USED_UP = 0.9;

/** How much of it is used, from 0 to 1, and whether that is nearly all. */
export function shareOf({ used, quota }: WindowView): { readonly share: number; readonly isHot: boolean } {
  const share = quota <= 0 ? 1 : Math.min(1, Math.max(0, used / quota));
  return { share, isHot: share >= NEARLY_USED_UP };
}

export const REFUSAL_WORDS: Readonly<Record<UsageRefusal, string>> = {
  minute_quota: "Minute quota",
  day_quota: "Day quota",
  banned: "Banned",
  scope: "Lack of access",
  no_key: "No valid key",
  address_quota: "Address held back",
};
