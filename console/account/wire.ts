import type { Span, UsageBucketView, UsageSeriesView, UsageView } from "../../src/console/api/index.ts";
import type { Grain } from "../../src/domain/usage/grains.ts";
import { extentOf } from "../format/periods.ts";
import { GRAIN_MS } from "../format/series.ts";

// The parts of the API's answers that this page reads.

/** GET /v1/key */
export interface OwnKey {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly scopes: readonly string[];
  readonly rotation: boolean;
  readonly expiresAt?: string;
  readonly quotas: readonly {
    readonly window: string;
    readonly limit: number;
    readonly remaining: number;
    readonly resetAt: string;
  }[];
  readonly strikesLeft: number;
}

/** An entry of GET /v1/key/usage */
export interface OwnUsage {
  readonly startedAt: string;
  readonly requests: number;
  readonly passed: number;
  readonly clientErrors: number;
  readonly refused: number;
  readonly refusedBy: {
    readonly minuteQuota: number;
    readonly dayQuota: number;
    readonly ban: number;
    readonly scope: number;
  };
  readonly failed: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

/** An entry of GET /v1/key/requests */
export interface OwnRequest {
  /** By ascending id is by time. Ids of requests fit into a number for centuries. */
  readonly id: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
}

/** POST /v1/key/rotate */
export interface RotatedKey {
  readonly secret: string;
  readonly oldSecretExpiresAt: string;
}

const GRAIN_OF: Readonly<Record<Span, Grain>> = { hour: "minute", day: "hour", month: "day" };

export function usagePath(span: Span, nowMs: number): string {
  const { fromMs } = extentOf({ span }, nowMs);
  return `/key/usage?by=${GRAIN_OF[span]}&since=${encodeURIComponent(new Date(fromMs).toISOString())}`;
}

/** The usage as the console's plots take it. */
export function seriesOf(span: Span, usage: readonly OwnUsage[]): UsageSeriesView {
  const buckets = usage.map(bucketOf);
  const [fromMs, lastMs] = [buckets.at(0)?.startedAtMs ?? 0, buckets.at(-1)?.startedAtMs ?? 0];
  const grain = GRAIN_OF[span];
  return { grain, fromMs, untilMs: lastMs + GRAIN_MS[grain], buckets, sum: sumOf(buckets), before: null };
}

const bucketOf = (usage: OwnUsage): UsageBucketView => ({
  startedAtMs: Date.parse(usage.startedAt),
  requests: usage.requests,
  passed: usage.passed,
  clientErrors: usage.clientErrors,
  refusedInAll: usage.refused,
  refused: {
    minute_quota: usage.refusedBy.minuteQuota,
    day_quota: usage.refusedBy.dayQuota,
    banned: usage.refusedBy.ban,
    scope: usage.refusedBy.scope,
    no_key: 0,
    address_quota: 0,
  },
  failed: usage.failed,
  p50Ms: usage.p50Ms ?? null,
  p99Ms: usage.p99Ms ?? null,
  requestsBefore: null,
});

function sumOf(buckets: readonly UsageBucketView[]): UsageView {
  const sum = (countIn: (bucket: UsageBucketView) => number): number =>
    buckets.reduce((total, bucket) => total + countIn(bucket), 0);
  return {
    requests: sum(({ requests }) => requests),
    passed: sum(({ passed }) => passed),
    clientErrors: sum(({ clientErrors }) => clientErrors),
    refusedInAll: sum(({ refusedInAll }) => refusedInAll),
    refused: {
      minute_quota: sum(({ refused }) => refused.minute_quota),
      day_quota: sum(({ refused }) => refused.day_quota),
      banned: sum(({ refused }) => refused.banned),
      scope: sum(({ refused }) => refused.scope),
      no_key: 0,
      address_quota: 0,
    },
    failed: sum(({ failed }) => failed),
    p50Ms: null,
    p99Ms: null,
  };
}
