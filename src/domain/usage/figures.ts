import { quantileMs, type Usage } from "./usage.ts";

/** Usage under the names that programs read, on the command line and under /v1. A quantile of no requests is undefined. */
export const figuresOf = (usage: Usage) => ({
  requests: usage.requests,
  passed: usage.passed,
  clientErrors: usage.clientErrors,
  refused: usage.refusedInAll,
  refusedBy: {
    minuteQuota: usage.refused.minute_quota,
    dayQuota: usage.refused.day_quota,
    ban: usage.refused.banned,
    scope: usage.refused.scope,
    noKey: usage.refused.no_key,
    addressQuota: usage.refused.address_quota,
  },
  failed: usage.failed,
  p50Ms: rounded(quantileMs(usage.latency, 0.5)),
  p99Ms: rounded(quantileMs(usage.latency, 0.99)),
});

/** Three digits are all that the buckets of a histogram can tell. */
const rounded = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Number(ms.toPrecision(3));
