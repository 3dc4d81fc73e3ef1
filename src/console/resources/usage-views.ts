import type { Grain } from "../../domain/usage/grains.ts";
import { quantileMs, type Usage } from "../../domain/usage/usage.ts";
import type { UsageReport } from "../../keys/queries/usage.ts";
import type { UsageSeriesView, UsageView } from "../api/index.ts";
import { SPANS, type Span } from "../cached/cache.ts";
import type { ConsoleFault } from "../fault.ts";
import { invalidField, type Query, textIn } from "../forms/forms.ts";

/** The grain that each span is shown in. */
export const GRAIN_OF: Readonly<Record<Span, Grain>> = { hour: "minute", day: "hour", month: "hour" };

export function spanIn(query: Query): Span | ConsoleFault {
  const text = textIn(query, "span") ?? "hour";
  return SPANS.find((span) => span === text) ?? invalidField("span", `The span must be one of ${SPANS.join(", ")}.`);
}

export const seriesView = ({ grain, fromMs, buckets, sum }: UsageReport): UsageSeriesView => ({
  grain,
  fromMs,
  buckets: buckets.map(({ startedAtMs, usage }) => ({ startedAtMs, ...usageView(usage) })),
  sum: usageView(sum),
});

const usageView = ({ latency, ...counts }: Usage): UsageView => ({
  ...counts,
  p50Ms: quantileMs(latency, 0.5) ?? null,
  p99Ms: quantileMs(latency, 0.99) ?? null,
});
