import { INT64_SCHEMA } from "../../base/json/fields.ts";
import { figuresOf } from "../../domain/usage/figures.ts";
import type { UsageBucket } from "../../keys/queries/usage.ts";
import { moment, namedSchema, refTo } from "../declare/schema.ts";

// The usage of the caller's own key on the wire: its schemas, and its JSON.

/** More requests than a key can make in a day; every client can represent it exactly. */
const COUNT_MAX = 1_000_000_000_000;

const count = (description: string) => ({ ...INT64_SCHEMA, minimum: 0, maximum: COUNT_MAX, description });
const milliseconds = (share: string) => ({
  type: "number",
  minimum: 0,
  description: `The time, in milliseconds, that ${share} of the requests that were not refused took at most. Left out if there were none.`,
});

const USAGE_EXAMPLE = {
  startedAt: "2026-11-15T09:00:00.000Z",
  requests: 120,
  passed: 112,
  clientErrors: 5,
  refused: 3,
  refusedBy: { minuteQuota: 3, dayQuota: 0, ban: 0, scope: 0, noKey: 0, addressQuota: 0 },
  failed: 0,
  p50Ms: 1.2,
  p99Ms: 8.4,
};
const QUIET_EXAMPLE = {
  startedAt: "2026-11-15T10:00:00.000Z",
  requests: 0,
  passed: 0,
  clientErrors: 0,
  refused: 0,
  refusedBy: { minuteQuota: 0, dayQuota: 0, ban: 0, scope: 0, noKey: 0, addressQuota: 0 },
  failed: 0,
};
export const USAGES_EXAMPLE = [USAGE_EXAMPLE, QUIET_EXAMPLE];

const refusals = {
  minuteQuota: count("The quota per minute was used up."),
  dayQuota: count("The quota per day was used up."),
  ban: count("The key was banned."),
  scope: count("The key lacked the scope."),
  noKey: count("Always 0: a request without a valid key is of no key."),
  addressQuota: count("Always 0, for the same reason."),
};

const REFUSAL_COUNTS = namedSchema("RefusalCounts", {
  type: "object",
  description: "Refused requests by reason.",
  properties: refusals,
  required: Object.keys(refusals),
  examples: [USAGE_EXAMPLE.refusedBy],
});

const USAGE = namedSchema("Usage", {
  type: "object",
  description: "What became of a key's requests in one minute, hour or day.",
  properties: {
    startedAt: moment("When the minute, hour or day began. Days are those of UTC."),
    requests: count("The requests in all."),
    passed: count("Those that were answered with a status below 400."),
    clientErrors: count("Those that were answered with another status from 400 to 499 than a refusal has."),
    refused: count("Those that were refused with 429, or with 403."),
    refusedBy: refTo(REFUSAL_COUNTS),
    failed: count("Those that failed on our side, with 500 or more."),
    p50Ms: milliseconds("half"),
    p99Ms: milliseconds("99 of 100"),
  },
  required: ["startedAt", "requests", "passed", "clientErrors", "refused", "refusedBy", "failed"],
  examples: USAGES_EXAMPLE,
});

export const USAGES = namedSchema("Usages", {
  type: "array",
  description: "One entry for each minute, hour or day, in order, up to the current one.",
  items: refTo(USAGE),
});

export const usagesJson = (buckets: readonly UsageBucket[]): string =>
  JSON.stringify(
    buckets.map(({ startedAtMs, usage }) => ({ startedAt: new Date(startedAtMs).toISOString(), ...figuresOf(usage) })),
  );
