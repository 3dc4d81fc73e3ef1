import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import type { UsageBucketView, UsageSeriesView } from "../../src/console/api/index.ts";
import { REFUSALS, type UsageRefusal } from "../../src/domain/usage/usage.ts";
import { calendarDay, clockTime, moment } from "./time.ts";

// Usage data for plots.

export type Span = "hour" | "day" | "month";
export const SPANS = [
  { span: "hour", label: "Last hour", words: "the last hour" },
  { span: "day", label: "24 hours", words: "24 hours" },
  { span: "month", label: "30 days", words: "30 days" },
] as const satisfies readonly { readonly span: Span; readonly label: string; readonly words: string }[];

/** The span in an address; anything invalid means the first one. */
export const spanOf = (text: string | null): Span => SPANS.find(({ span }) => span === text)?.span ?? "hour";

export const GRAIN_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

/** The unit of a plot. */
export const GRAIN_UNITS = { minute: "per minute", hour: "per hour", day: "per day" } as const;

/** Evenly spaced buckets, with zeros where nothing was counted. */
export interface Evenly {
  /** The grain of the buckets, which may be coarser than that of the counts. */
  readonly grain: UsageSeriesView["grain"];
  readonly startsMs: readonly number[];
  readonly valuesOf: (value: (bucket: UsageBucketView) => number) => readonly number[];
}

/** More bars would be hairlines: hours of a longer span are summed up by the viewer's calendar days. */
const HOURS_MAX = 72;

export const evenly = (series: UsageSeriesView, nowMs: number): Evenly =>
  series.grain === "hour" && nowMs - series.fromMs > HOURS_MAX * HOUR_MS
    ? byDay(series, nowMs)
    : byGrain(series, nowMs);

/** Days of the viewer, of which one may have 23 or 25 hours. */
function byDay({ fromMs, buckets }: UsageSeriesView, nowMs: number): Evenly {
  const byStart = Map.groupBy(buckets, ({ startedAtMs }) => dayOf(startedAtMs));
  const firstMs = Math.min(dayOf(fromMs), ...byStart.keys());
  const lastMs = Math.max(dayOf(nowMs), ...byStart.keys());
  const startsMs: number[] = [];
  for (let ms = firstMs; ms <= lastMs; ms = dayOf(ms, 1)) startsMs.push(ms);
  return {
    grain: "day",
    startsMs,
    valuesOf: (value) =>
      startsMs.map((startMs) => (byStart.get(startMs) ?? []).reduce((sum, bucket) => sum + value(bucket), 0)),
  };
}

/** The start of the viewer's day, or of one some days later. */
function dayOf(ms: number, later = 0): number {
  const date = new Date(ms);
  date.setHours(0, 0, 0, 0);
  date.setDate(date.getDate() + later);
  return date.getTime();
}

function byGrain({ grain, fromMs, buckets }: UsageSeriesView, nowMs: number): Evenly {
  const grainMs = GRAIN_MS[grain];
  const firstMs = Math.floor(Math.min(fromMs, buckets[0]?.startedAtMs ?? fromMs) / grainMs) * grainMs;
  const lastMs = Math.max(firstMs, Math.floor(nowMs / grainMs) * grainMs, buckets.at(-1)?.startedAtMs ?? 0);
  const startsMs = Array.from(
    { length: Math.round((lastMs - firstMs) / grainMs) + 1 },
    (_, i) => firstMs + i * grainMs,
  );
  const byStart = new Map(buckets.map((bucket) => [bucket.startedAtMs, bucket]));
  return {
    grain,
    startsMs,
    valuesOf: (value) =>
      startsMs.map((startMs) => {
        const bucket = byStart.get(startMs);
        return bucket ? value(bucket) : 0;
      }),
  };
}

export interface Tick {
  readonly index: number;
  readonly label: string;
}

/** The labelled bars: those at round times of the viewer's day, or at some midnights of a longer span. */
export function ticksOf(startsMs: readonly number[], grain: UsageSeriesView["grain"], nowMs: number): readonly Tick[] {
  const spanMs = (startsMs.at(-1) ?? 0) - (startsMs[0] ?? 0);
  const isOfDays = spanMs > 3 * DAY_MS;
  const isRound = (ms: number): boolean => {
    const date = new Date(ms);
    if (grain === "minute") return date.getMinutes() % 15 === 0;
    return isOfDays ? grain === "day" || date.getHours() === 0 : date.getHours() % 6 === 0;
  };
  const round = [...startsMs.keys()].filter((index) => isRound(startsMs[index] as number));
  const every = Math.ceil(round.length / TICKS_MAX);
  // A label at the very end would be cut off.
  return round
    .filter((index, i) => i % every === 0 && (index + 0.5) / startsMs.length < LABELS_END)
    .map((index) => {
      const ms = startsMs[index] as number;
      return { index, label: isOfDays ? calendarDay(ms, nowMs) : clockTime(ms) };
    });
}

/** The rightmost position of a label's middle: half of the label needs room after it, even on a phone. */
const LABELS_END = 0.94;

/** The number of labels that fit on a phone. */
const TICKS_MAX = 5;

/** The time of a bucket: 14:05; yesterday, 09:00 to 10:00; of days, 12 Nov; 19 Oct from 14:00; 18 Nov so far */
export function bucketText(startMs: number, grain: UsageSeriesView["grain"], nowMs: number, fromMs = startMs): string {
  if (grain === "minute") return moment(startMs, nowMs);
  if (grain === "day") {
    const day = calendarDay(startMs, nowMs);
    if (fromMs > startMs) return `${day} from ${clockTime(fromMs)}`;
    return dayOf(nowMs) === startMs ? `${day} so far` : day;
  }
  return `${moment(startMs, nowMs)} to ${clockTime(startMs + HOUR_MS)}`;
}

/** Reasons for which anything was refused, the most frequent first. */
export const reasonsIn = (refused: Readonly<Record<UsageRefusal, number>>): readonly UsageRefusal[] =>
  REFUSALS.filter((reason) => refused[reason] > 0).sort((a, b) => refused[b] - refused[a]);
