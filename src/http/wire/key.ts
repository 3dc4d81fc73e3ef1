import type { Pass } from "../../access/gate.ts";
import { INT64_SCHEMA } from "../../base/json/fields.ts";
import { SECOND_MS, toWholeSeconds } from "../../base/time/clock.ts";
import { PLANS, QUOTA_MAX } from "../../domain/keys/plan.ts";
import { SCOPES } from "../../domain/keys/scope.ts";
import { DAY, MINUTE, type WindowStatus } from "../../domain/limits/window.ts";
import { moment, namedSchema, refTo } from "../declare/schema.ts";

// The caller's own key on the wire: its schema, and its JSON.

export const KEY_TAG = { name: "Key", description: "The key that you call with." };

/** The type stays open, like that of error codes. */
const open = (description: string, values: readonly string[]) => ({
  type: "string",
  description: `${description} More may be added. So far: ${values.map((value) => `\`${value}\``).join(", ")}.`,
  "x-extensible-enum": values,
});
/** The maximum is one that every client can represent exactly. */
const count = (description: string) => ({ ...INT64_SCHEMA, minimum: 0, maximum: QUOTA_MAX, description });

export const KEY_EXAMPLE = {
  id: "key_4fGh7KxQ2mZa",
  name: "front desk",
  plan: "free",
  scopes: SCOPES,
  rotation: false,
  expiresAt: "2027-06-30T23:59:59.999Z",
  quotas: [
    { window: "minute", limit: 60, remaining: 59, resetAt: "2026-11-15T09:31:00.000Z" },
    { window: "day", limit: 1000, remaining: 999, resetAt: "2026-11-16T09:30:00.000Z" },
  ],
  strikesLeft: 60,
};

const QUOTA = namedSchema("Quota", {
  type: "object",
  description: "The number of requests that a key may make in a window of time, and what remains of it.",
  properties: {
    window: open("The period that the quota applies to.", [MINUTE.name, DAY.name]),
    limit: count("The number of requests that the window allows."),
    remaining: count("The number of requests that remain."),
    resetAt: moment("When it resets, in whole seconds."),
  },
  required: ["window", "limit", "remaining", "resetAt"],
  examples: [KEY_EXAMPLE.quotas[0]],
});

export const KEY = namedSchema("Key", {
  type: "object",
  description: "The key that a request was made with.",
  properties: {
    id: { type: "string", description: "What the operator knows it by. Not secret.", examples: [KEY_EXAMPLE.id] },
    name: { type: "string", description: "What the operator called it.", examples: [KEY_EXAMPLE.name] },
    plan: open("Its plan.", Object.keys(PLANS)),
    scopes: { type: "array", description: "What it may do.", items: open("A scope.", SCOPES) },
    rotation: {
      type: "boolean",
      description: "Whether it may rotate its own secret with `POST /key/rotate`.",
    },
    expiresAt: moment("From when on it is no longer valid. Left out if it never expires."),
    quotas: {
      type: "array",
      description: "How its quotas stand after this request, as the headers of the response have it.",
      items: refTo(QUOTA),
    },
    strikesLeft: count("After how many more refused requests in this minute the key is temporarily banned."),
  },
  required: ["id", "name", "plan", "scopes", "rotation", "quotas", "strikesLeft"],
  examples: [KEY_EXAMPLE],
});

/** A key as its holder sees it. */
export type OwnKey = Pick<Pass, "key" | "quotaStatus"> & { readonly strikesLeft: number };

export const keyJson = ({ key, quotaStatus, strikesLeft }: OwnKey): string => {
  const { id, name, plan, scopes, mayRotate, expiresAtMs } = key;
  const { minute, day } = quotaStatus;
  return JSON.stringify({
    id,
    name,
    plan,
    scopes,
    rotation: mayRotate,
    expiresAt: expiresAtMs === undefined ? undefined : new Date(expiresAtMs).toISOString(),
    quotas: (day ? [minute, day] : [minute]).map(quotaOf),
    strikesLeft,
  });
};

/** A time in whole seconds, like X-RateLimit-Reset. */
const quotaOf = ({ window, quota, remaining, resetAtMs }: WindowStatus) => ({
  window: window.name,
  limit: quota,
  remaining,
  resetAt: new Date(toWholeSeconds(resetAtMs) * SECOND_MS).toISOString(),
});
