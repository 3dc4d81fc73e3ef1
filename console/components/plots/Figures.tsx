import type { UsageView } from "../../../src/console/api/index.ts";
import { REFUSAL_LABELS } from "../../format/keys.ts";
import { grouped, measured, percentage } from "../../format/numbers.ts";
import { reasonsIn, SPANS, type Span } from "../../format/series.ts";

const MINUTES_OF: Readonly<Record<Span, number>> = { hour: 60, day: 24 * 60, month: 30 * 24 * 60 };

/** The average rate. */
function rate(requests: number, span: Span): string {
  const each = requests / MINUTES_OF[span];
  return each > 0 && each < 1 ? "less than one per minute" : `${grouped(Math.round(each))} per minute`;
}

/** 0.6 %, mostly minute quota */
function refusedText(sum: UsageView): string {
  const [reason] = reasonsIn(sum.refused);
  const share = percentage(sum.refusedInAll, sum.requests);
  return reason ? `${share}, mostly ${REFUSAL_LABELS[reason].toLowerCase()}` : share;
}

const spanText = (span: Span): string => SPANS.find((choice) => choice.span === span)?.words as string;

/** Totals over the time span. */
export const Figures = ({ sum, span }: { readonly sum: UsageView; readonly span: Span }) => (
  <dl class="figures">
    <Figure title="Requests" figure={grouped(sum.requests)} note={rate(sum.requests, span)} />
    <Figure
      title="Client errors"
      figure={grouped(sum.clientErrors)}
      note={sum.clientErrors === 0 ? `none in ${spanText(span)}` : percentage(sum.clientErrors, sum.requests)}
    />
    <Figure
      title="Refused"
      figure={grouped(sum.refusedInAll)}
      note={sum.refusedInAll === 0 ? `none in ${spanText(span)}` : refusedText(sum)}
    />
    <Figure
      title="Failed"
      figure={grouped(sum.failed)}
      note={sum.failed === 0 ? `none in ${spanText(span)}` : percentage(sum.failed, sum.requests)}
      isProblem={sum.failed > 0}
    />
    <Figure
      title="99th percentile"
      figure={sum.p99Ms === null ? "–" : measured(sum.p99Ms)}
      note={sum.p50Ms === null ? "no data" : `median ${measured(sum.p50Ms)}`}
    />
  </dl>
);

interface FigureProps {
  readonly title: string;
  readonly figure: string;
  readonly note: string;
  readonly isProblem?: boolean;
}

const Figure = ({ title, figure, note, isProblem = false }: FigureProps) => (
  <div>
    <dt>{title}</dt>
    <dd class={isProblem ? "figure problem" : "figure"}>{figure}</dd>
    <dd class="note">{note}</dd>
  </div>
);
