import type { Grain, Period } from "../../domain/usage/grains.ts";
import type { Usage } from "../../domain/usage/usage.ts";

/** A span of time up to now: an hour, a day or 30 days. */
export type Span = "hour" | "day" | "month";

/** A span, or a period that somebody has chosen. */
export type ChosenPeriod = { readonly span: Span } | Period;

/** Sums over a period. */
export interface UsageView extends Omit<Usage, "latency"> {
  /** Null: there were no requests that took any time. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export interface UsageBucketView extends UsageView {
  readonly startedAtMs: number;
  /** In the same bucket of the period before; null: it is not kept any more. */
  readonly requestsBefore: number | null;
}

/** GET /console/api/keys/{id}/usage?span=hour|day|month, or ?from=&until= in milliseconds */
export interface UsageSeriesView {
  readonly grain: Grain;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly buckets: readonly UsageBucketView[];
  readonly sum: UsageView;
  /** The sum of the period before, which is as long; null: not all of it is kept any more. */
  readonly before: UsageView | null;
}
