import type { Grain } from "../../domain/usage/grains.ts";
import type { Usage } from "../../domain/usage/usage.ts";

/** Sums over a span of time. */
export interface UsageView extends Omit<Usage, "latency"> {
  /** Null: there were no requests that took any time. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export interface UsageBucketView extends UsageView {
  readonly startedAtMs: number;
}

/** GET /console/api/keys/{id}/usage?span=hour|day|month */
export interface UsageSeriesView {
  readonly grain: Grain;
  readonly fromMs: number;
  readonly buckets: readonly UsageBucketView[];
  readonly sum: UsageView;
}
