import { Mistake } from "../../base/mistake.ts";
import { countOf } from "../../base/text/text.ts";
import { DAY_MS } from "../../base/time/clock.ts";
import { quantileMs, type Usage } from "../../domain/usage/usage.ts";
import type { NotKept } from "../../keys/queries/usage.ts";
import type { ComparedUsage } from "../../keys/queries/usage-of-period.ts";
import type { ChosenPeriod, UsageSeriesView, UsageView } from "../api/index.ts";
import { SPANS } from "../cached/periods.ts";
import type { ConsoleFault } from "../fault.ts";
import { invalidField, type Query, textIn } from "../forms/forms.ts";

/** Reads `span`, or `from` and `until` in milliseconds. */
export function periodIn(query: Query, nowMs: number): ChosenPeriod | ConsoleFault {
  const [from, until] = [textIn(query, "from"), textIn(query, "until")];
  if (from === undefined && until === undefined) return spanIn(query);
  const [fromMs, untilMs] = [timeOf(from), timeOf(until)];
  if (fromMs instanceof Mistake) return invalidField("from", `The beginning of the period ${fromMs.text}.`);
  if (untilMs instanceof Mistake) return invalidField("until", `The end of the period ${untilMs.text}.`);
  if (fromMs === undefined) return invalidField("from", "The beginning of the period is missing. Fill it in.");
  if (fromMs >= nowMs) return invalidField("from", "The period has to begin in the past. Choose an earlier time.");
  if (untilMs !== undefined && untilMs <= fromMs)
    return invalidField("until", "The period has to end after it begins. Choose a later time, or leave it empty.");
  return { fromMs, untilMs: untilMs !== undefined && untilMs < nowMs ? untilMs : undefined };
}

function spanIn(query: Query): ChosenPeriod | ConsoleFault {
  const text = textIn(query, "span") ?? "hour";
  const span = SPANS.find((each) => each === text);
  return span ? { span } : invalidField("span", `The span must be one of ${SPANS.join(", ")}.`);
}

const DIGITS = /^\d{1,15}$/;

const timeOf = (text: string | undefined): number | undefined | Mistake =>
  text === undefined ? undefined : DIGITS.test(text) ? Number(text) : new Mistake("must be a time in milliseconds");

export const notKept = ({ keptMs }: NotKept): ConsoleFault =>
  invalidField("from", `Usage is kept for ${countOf(keptMs / DAY_MS, "day")}. Choose a later beginning.`);

export const seriesView = ({ grain, fromMs, untilMs, buckets, sum, before }: ComparedUsage): UsageSeriesView => ({
  grain,
  fromMs,
  untilMs,
  buckets: buckets.map(({ startedAtMs, usage }, i) => ({
    startedAtMs,
    ...usageView(usage),
    requestsBefore: before?.buckets[i]?.usage.requests ?? null,
  })),
  sum: usageView(sum),
  before: before ? usageView(before.sum) : null,
});

const usageView = ({ latency, ...counts }: Usage): UsageView => ({
  ...counts,
  p50Ms: quantileMs(latency, 0.5) ?? null,
  p99Ms: quantileMs(latency, 0.99) ?? null,
});
