import { useMemo } from "preact/hooks";
import type { UsageBucketView, UsageSeriesView } from "../../../src/console/api/index.ts";
import type { Period } from "../../../src/domain/usage/grains.ts";
import { now } from "../../clock.ts";
import { REFUSAL_LABELS } from "../../format/keys.ts";
import { bucketText, byGrain, type Evenly, evenly, GRAIN_UNITS, reasonsIn, ticksOf } from "../../format/series.ts";
import { Plot, type PlotSeries } from "./Plot.tsx";

interface UsagePlotProps {
  readonly usage: UsageSeriesView;
  readonly heightPx?: number;
  /** Shows a part of the period alone. */
  readonly onZoom?: ((period: Period) => void) | undefined;
}

interface OverTimeProps extends UsagePlotProps {
  /** "Requests per minute" */
  readonly titleBy: (grain: Evenly["grain"]) => string;
  readonly even: Evenly;
  readonly series: readonly PlotSeries[];
  readonly areDurations?: boolean;
}

function OverTime({ titleBy, even, series, usage, onZoom, ...look }: OverTimeProps) {
  const ticks = useMemo(() => ticksOf(even, now.peek()), [even]);
  const { grain, startsMs } = even;
  const zoom = (from: number, to: number): void =>
    onZoom?.({ fromMs: Math.max(usage.fromMs, startsMs[from] as number), untilMs: startsMs[to + 1] ?? usage.untilMs });
  return (
    <Plot
      title={titleBy(grain)}
      startsMs={startsMs}
      series={series}
      ticks={ticks}
      momentOf={(startMs) => bucketText(even, startMs, now.value, usage.fromMs)}
      onZoom={onZoom && zoom}
      {...look}
    />
  );
}

const OUTCOMES = [
  { label: "Passed", colour: "--passed", count: "passed" },
  { label: "Client errors", colour: "--client-error", count: "clientErrors" },
  { label: "Refused", colour: "--refused", count: "refusedInAll" },
  { label: "Failed", colour: "--failed", count: "failed" },
] as const;

/** Requests by their outcome, and how many there were in the period before. */
export function UsagePlot(props: UsagePlotProps) {
  const { usage } = props;
  const { even, series } = useMemo(() => {
    const even = evenly(usage);
    const outcomes = OUTCOMES.map(({ count, ...look }) => ({ ...look, values: even.valuesOf((each) => each[count]) }));
    const before = { label: "In the period before", colour: "--before", isLine: true };
    const values = even.valuesOf(({ requestsBefore }) => requestsBefore ?? 0);
    return { even, series: usage.before?.requests ? [...outcomes, { ...before, values }] : outcomes };
  }, [usage]);
  return <OverTime titleBy={(grain) => `Requests ${GRAIN_UNITS[grain]}`} even={even} series={series} {...props} />;
}

const REASON_COLOURS = ["--refused", "--refused-2", "--refused-3", "--refused-4", "--neutral", "--line"];

/** The reasons for refusals. Renders nothing if there were none. */
export function RefusalsPlot(props: UsagePlotProps) {
  const { usage } = props;
  const { even, series } = useMemo(() => {
    const even = evenly(usage);
    const series = reasonsIn(usage.sum.refused).map((reason, i) => ({
      label: REFUSAL_LABELS[reason],
      sum: usage.sum.refused[reason],
      colour: REASON_COLOURS[i] as string,
      values: even.valuesOf((bucket) => bucket.refused[reason]),
    }));
    return { even, series };
  }, [usage]);
  return series.length === 0 ? null : (
    <OverTime titleBy={(grain) => `Refusals ${GRAIN_UNITS[grain]}`} even={even} series={series} {...props} />
  );
}

/** The time that requests took which were not refused, by the server's unit: quantiles of hours do not add up to days. */
export function LatencyPlot(props: UsagePlotProps) {
  const { usage } = props;
  const { even, series } = useMemo(() => {
    const even = byGrain(usage);
    const at = new Map(usage.buckets.map((bucket) => [bucket.startedAtMs, bucket]));
    const valuesOf = (quantile: (bucket: UsageBucketView) => number | null) =>
      even.startsMs.map((startMs) => {
        const bucket = at.get(startMs);
        return bucket ? quantile(bucket) : null;
      });
    const series = [
      { label: "Median", colour: "--median", isLine: true, values: valuesOf(({ p50Ms }) => p50Ms) },
      { label: "99th percentile", colour: "--slowest", isLine: true, values: valuesOf(({ p99Ms }) => p99Ms) },
    ];
    return { even, series };
  }, [usage]);
  if (series.every(({ values }) => values.every((value) => value === null))) return null;
  return (
    <OverTime titleBy={(grain) => `Time to answer, by ${grain}`} even={even} series={series} areDurations {...props} />
  );
}
