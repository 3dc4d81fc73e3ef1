import { MINUTE_MS } from "../../../src/base/time/clock.ts";
import type { ChosenPeriod, UsageSeriesView, UsageView } from "../../../src/console/api/index.ts";
import { now } from "../../clock.ts";
import { REFUSAL_LABELS } from "../../format/keys.ts";
import { grouped, measured, percentage } from "../../format/numbers.ts";
import { extentOf, periodWords } from "../../format/periods.ts";
import { reasonsIn } from "../../format/series.ts";

/** The average rate. */
function rate(requests: number, chosen: ChosenPeriod): string {
  const each = (requests * MINUTE_MS) / Math.max(MINUTE_MS, extentOf(chosen, now.peek()).lengthMs);
  return each > 0 && each < 1 ? "less than one per minute" : `${grouped(Math.round(each))} per minute`;
}

/** 0.6 %, mostly minute quota */
function refusedText(sum: UsageView): string {
  const [reason] = reasonsIn(sum.refused);
  const share = percentage(sum.refusedInAll, sum.requests);
  return reason ? `${share}, mostly ${REFUSAL_LABELS[reason].toLowerCase()}` : share;
}

interface FiguresProps {
  readonly usage: Pick<UsageSeriesView, "sum" | "before">;
  readonly chosen: ChosenPeriod;
}

/** Totals over the period, beside those of the period before. */
export function Figures({ usage: { sum, before }, chosen }: FiguresProps) {
  const partText = (count: "clientErrors" | "refusedInAll" | "failed", text: () => string): string =>
    sum[count] === 0 ? `none in ${periodWords(chosen)}` : text();
  const shareText = (count: "clientErrors" | "failed"): string =>
    partText(count, () => percentage(sum[count], sum.requests));
  const earlier = before?.requests ? before : undefined;
  /** Nothing then and nothing now need no words. */
  const beforeText = (count: "requests" | "clientErrors" | "refusedInAll" | "failed"): string | undefined =>
    earlier && sum[count] + earlier[count] > 0 ? grouped(earlier[count]) : undefined;
  return (
    <dl class="figures">
      <Figure
        title="Requests"
        figure={grouped(sum.requests)}
        note={rate(sum.requests, chosen)}
        before={beforeText("requests")}
      />
      <Figure
        title="Client errors"
        figure={grouped(sum.clientErrors)}
        note={shareText("clientErrors")}
        before={beforeText("clientErrors")}
      />
      <Figure
        title="Refused"
        figure={grouped(sum.refusedInAll)}
        note={partText("refusedInAll", () => refusedText(sum))}
        before={beforeText("refusedInAll")}
      />
      <Figure
        title="Failed"
        figure={grouped(sum.failed)}
        note={shareText("failed")}
        isProblem={sum.failed > 0}
        before={beforeText("failed")}
      />
      <Figure
        title="99th percentile"
        figure={sum.p99Ms === null ? "–" : measured(sum.p99Ms)}
        note={sum.p50Ms === null ? "no data" : `median ${measured(sum.p50Ms)}`}
        before={earlier?.p99Ms == null ? undefined : measured(earlier.p99Ms)}
      />
    </dl>
  );
}

interface FigureProps {
  readonly title: string;
  readonly figure: string;
  readonly note: string;
  readonly isProblem?: boolean;
  /** The figure of the period before. */
  readonly before: string | undefined;
}

const Figure = ({ title, figure, note, isProblem = false, before }: FigureProps) => (
  <div>
    <dt>{title}</dt>
    <dd class={isProblem ? "figure problem" : "figure"}>{figure}</dd>
    <dd class="note">{note}</dd>
    {before !== undefined && <dd class="note">{before} before</dd>}
  </div>
);
