import { DAY_MS } from "../../src/base/time/clock.ts";
import type { KeyRowView, WindowView } from "../../src/console/api/index.ts";
import { PLAN_NAMES, PLANS, type Plan } from "../../src/domain/keys/plan.ts";
import { SCOPES, type Scope } from "../../src/domain/keys/scope.ts";
import type { UsageRefusal } from "../../src/domain/usage/usage.ts";
import { grouped } from "./numbers.ts";
import { ahead, calendarDay, moment, upToMinute } from "./time.ts";

// Keys in words.

/** The urgency of a state: all but the last two need no action. What is `open` goes on, and what is `settled` does not. */
export type Tone = "good" | "open" | "settled" | "quiet" | "warning" | "problem";

export interface StateLabel {
  readonly text: string;
  readonly tone: Tone;
}

const EXPIRES_SOON_MS = 14 * DAY_MS;

type Stateful = Pick<KeyRowView, "state" | "bannedUntilMs" | "expiresAtMs">;

/** Active; Expires in 46 days; Banned until 14:36; Suspended; Expired 3 Oct; Revoked */
export function stateLabel({ state, bannedUntilMs, expiresAtMs }: Stateful, nowMs: number, zone?: string): StateLabel {
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

/** Everything; Read only; Read pets; Read pets; read and write orders */
export function accessText(scopes: readonly Scope[]): string {
  if (SCOPES.every((scope) => scopes.includes(scope))) return "Everything";
  if (scopes.length === 0) return "Nothing";
  const verbsOf = (resource: string): string =>
    ["read", "write"].filter((verb) => (scopes as readonly string[]).includes(`${resource}:${verb}`)).join(" and ");
  const [first, ...others] = RESOURCES.map(verbsOf) as [string, ...string[]];
  if (others.every((verbs) => verbs === first)) return capitalized(`${first} only`);
  // Each resource has its own verbs: in "read pets, orders", one of them would be misread.
  const words = RESOURCES.filter((resource) => verbsOf(resource) !== "");
  return capitalized(words.map((resource) => `${verbsOf(resource)} ${resource}`).join("; "));
}

export const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

export const planName = (plan: Plan): string => capitalized(plan);

export const quotasText = (quotas: { readonly perMinute: number; readonly perDay: number }): string =>
  `${grouped(quotas.perMinute)} per minute, ${grouped(quotas.perDay)} per day`;

/** Pro: 300 per minute, 10,000 per day */
export function planText(plan: Plan): string {
  const quotas = PLANS[plan];
  return `${planName(plan)}: ${quotas ? quotasText(quotas) : "quotas of its own"}`;
}

/** Its busiest day of the last 30 had 12,000 requests, more than Pro allows. */
export function busiestDayText(requests: number): string {
  const tooSmall = PLAN_NAMES.filter((plan) => requests > (PLANS[plan]?.perDay ?? Infinity)).at(-1);
  const beyond = tooSmall ? `, more than ${planName(tooSmall)} allows` : "";
  return `Its busiest day of the last 30 had ${grouped(requests)} ${requests === 1 ? "request" : "requests"}${beyond}.`;
}

/** 31,044 of 100,000 */
export const usedText = ({ used, quota }: WindowView): string => `${grouped(used)} of ${grouped(quota)}`;

/** The share from which a quota needs attention. */
const NEARLY_USED_UP = 0.9;

/** The used share from 0 to 1, and whether it needs attention. */
export function shareOf({ used, quota }: WindowView): { readonly share: number; readonly isHot: boolean } {
  const share = quota <= 0 ? 1 : Math.min(1, Math.max(0, used / quota));
  return { share, isHot: share >= NEARLY_USED_UP };
}

export const REFUSAL_LABELS: Readonly<Record<UsageRefusal, string>> = {
  minute_quota: "Minute quota",
  day_quota: "Day quota",
  banned: "Banned",
  scope: "Missing scope",
  no_key: "No valid key",
  address_quota: "Address limit",
};
