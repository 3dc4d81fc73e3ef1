import { useMemo } from "preact/hooks";
import type { UsageSeriesView } from "../../../src/console/api/index.ts";
import { now } from "../../clock.ts";
import { REFUSAL_LABELS } from "../../format/keys.ts";
import { bucketText, evenly, GRAIN_UNITS, reasonsIn, SPANS, type Span, ticksOf } from "../../format/series.ts";
import { type Address, linkWith } from "../../router.ts";
import { Segments } from "../forms/Segments.tsx";
import { Plot } from "./Plot.tsx";

/** Chooses the time span of a page's plots. It is kept in the address. */
export const SpanChoice = ({ address, span }: { readonly address: Address; readonly span: Span }) => (
  <Segments
    label="Span"
    choices={SPANS.map((choice) => ({
      label: choice.label,
      href: linkWith(address, { span: choice.span === "hour" ? null : choice.span }),
      isCurrent: choice.span === span,
    }))}
  />
);

interface UsagePlotProps {
  readonly usage: UsageSeriesView;
  readonly heightPx?: number;
}

/** Requests by their outcome. */
export function UsagePlot({ usage, heightPx }: UsagePlotProps) {
  const { grain, ...plot } = useMemo(() => {
    const even = evenly(usage, now.peek());
    return {
      grain: even.grain,
      startsMs: even.startsMs,
      ticks: ticksOf(even.startsMs, even.grain, now.peek()),
      series: [
        { label: "Passed", colour: "--passed", values: even.valuesOf((bucket) => bucket.passed) },
        { label: "Client errors", colour: "--client-error", values: even.valuesOf((bucket) => bucket.clientErrors) },
        { label: "Refused", colour: "--refused", values: even.valuesOf((bucket) => bucket.refusedInAll) },
        { label: "Failed", colour: "--failed", values: even.valuesOf((bucket) => bucket.failed) },
      ],
    };
  }, [usage]);
  return (
    <Plot
      title={`Requests ${GRAIN_UNITS[grain]}`}
      {...plot}
      momentOf={(startMs) => bucketText(startMs, grain, now.value, usage.fromMs)}
      {...(heightPx ? { heightPx } : {})}
    />
  );
}

const REASON_COLOURS = ["--refused", "--refused-2", "--refused-3", "--refused-4", "--neutral", "--line"];

/** The reasons for refusals. Renders nothing if there were none. */
export function RefusalsPlot({ usage, heightPx }: UsagePlotProps) {
  const reasons = reasonsIn(usage.sum.refused);
  const { grain, ...plot } = useMemo(() => {
    const even = evenly(usage, now.peek());
    return {
      grain: even.grain,
      startsMs: even.startsMs,
      ticks: ticksOf(even.startsMs, even.grain, now.peek()),
      series: reasonsIn(usage.sum.refused).map((reason, i) => ({
        label: REFUSAL_LABELS[reason],
        sum: usage.sum.refused[reason],
        colour: REASON_COLOURS[i] as string,
        values: even.valuesOf((bucket) => bucket.refused[reason]),
      })),
    };
  }, [usage]);
  if (reasons.length === 0) return null;
  return (
    <Plot
      title={`Refusals ${GRAIN_UNITS[grain]}`}
      {...plot}
      momentOf={(startMs) => bucketText(startMs, grain, now.value, usage.fromMs)}
      {...(heightPx ? { heightPx } : {})}
    />
  );
}
