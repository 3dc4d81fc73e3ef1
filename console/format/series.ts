import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import type { UsageBucketView, UsageSeriesView } from "../../src/console/api/index.ts";
import { REFUSALS, type UsageRefusal } from "../../src/domain/usage/usage.ts";
import { calendarDay, clockTime, moment } from "./time.ts";

// Usage data for plots.

export const GRAIN_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

/** The unit of a plot. */
export const GRAIN_UNITS = { minute: "per minute", hour: "per hour", day: "per day" } as const;

/** Evenly spaced buckets, with zeros where nothing was counted. */
export interface Evenly {
  /** The grain of the buckets, which may be coarser than that of the counts. */
  readonly grain: UsageSeriesView["grain"];
  readonly startsMs: readonly number[];
  readonly valuesOf: (value: (bucket: UsageBucketView) => number) => readonly number[];
  /** The zone of the days: the viewer's, unless the counts are those of days of UTC. */
  readonly zone: "UTC" | undefined;
}

/** More bars would be hairlines: hours of a longer span are summed up by the viewer's calendar days. */
const HOURS_MAX = 72;

export const evenly = (series: UsageSeriesView): Evenly =>
  series.grain === "hour" && series.untilMs - series.fromMs > HOURS_MAX * HOUR_MS ? byDay(series) : byGrain(series);

/** Days of the viewer, of which one may have 23 or 25 hours. */
function byDay({ fromMs, untilMs, buckets }: UsageSeriesView): Evenly {
  const byStart = Map.groupBy(buckets, ({ startedAtMs }) => dayOf(startedAtMs));
  const firstMs = Math.min(dayOf(fromMs), ...byStart.keys());
  const lastMs = Math.max(dayOf(untilMs - 1), ...byStart.keys());
  const startsMs: number[] = [];
  for (let ms = firstMs; ms <= lastMs; ms = dayOf(ms, 1)) startsMs.push(ms);
  return {
    grain: "day",
    startsMs,
    zone: undefined,
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

export function byGrain({ grain, fromMs, untilMs, buckets }: UsageSeriesView): Evenly {
  const grainMs = GRAIN_MS[grain];
  const firstMs = Math.floor(fromMs / grainMs) * grainMs;
  const lastMs = Math.max(firstMs, Math.floor((untilMs - 1) / grainMs) * grainMs);
  const startsMs = Array.from(
    { length: Math.round((lastMs - firstMs) / grainMs) + 1 },
    (_, i) => firstMs + i * grainMs,
  );
  const byStart = new Map(buckets.map((bucket) => [bucket.startedAtMs, bucket]));
  return {
    grain,
    startsMs,
    zone: grain === "day" ? "UTC" : undefined,
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

/** The distances of labels within a day, of which the first that needs few enough is taken. */
const ROUND_MINUTES = [1, 5, 15, 30, 60, 120, 360] as const;

/** The labelled bars: those at round times of the viewer's day, or at some midnights of a longer span. */
export function ticksOf({ startsMs, grain, zone }: Omit<Evenly, "valuesOf">, nowMs: number): readonly Tick[] {
  const spanMs = (startsMs.at(-1) ?? 0) - (startsMs[0] ?? 0);
  const isOfDays = spanMs > 3 * DAY_MS;
  const minutes = ROUND_MINUTES.find((each) => spanMs <= each * MINUTE_MS * TICKS_MAX) ?? ROUND_MINUTES.at(-1);
  const isRound = (ms: number): boolean => {
    if (grain === "day") return true;
    const date = new Date(ms);
    // In some zones, hours begin at half past or at a quarter to.
    const minuteOfDay = date.getHours() * 60 + (grain === "minute" ? date.getMinutes() : 0);
    return isOfDays ? minuteOfDay === 0 : minuteOfDay % (minutes as number) === 0;
  };
  const round = [...startsMs.keys()].filter((index) => isRound(startsMs[index] as number));
  const every = Math.ceil(round.length / TICKS_MAX);
  // A label at the very end would be cut off.
  return round
    .filter((index, i) => i % every === 0 && (index + 0.5) / startsMs.length < LABELS_END)
    .map((index) => {
      const ms = startsMs[index] as number;
      return { index, label: isOfDays || grain === "day" ? calendarDay(ms, nowMs, zone) : clockTime(ms) };
    });
}

/** The rightmost position of a label's middle: half of the label needs room after it, even on a phone. */
const LABELS_END = 0.94;

/** The number of labels that fit on a phone. */
const TICKS_MAX = 5;

/** The time of a bucket: 14:05; yesterday, 09:00 to 10:00; of days, 12 Nov; 19 Oct from 14:00; 18 Nov so far */
export function bucketText(
  { grain, zone }: Pick<Evenly, "grain" | "zone">,
  startMs: number,
  nowMs: number,
  fromMs = 0,
) {
  if (grain === "minute") return moment(startMs, nowMs);
  if (grain === "hour") return `${moment(startMs, nowMs)} to ${clockTime(startMs + HOUR_MS)}`;
  const day = calendarDay(startMs, nowMs, zone);
  if (zone) return `${day} (${zone})`;
  if (fromMs > startMs) return `${day} from ${clockTime(fromMs)}`;
  return dayOf(nowMs) === startMs ? `${day} so far` : day;
}

/** Reasons for which anything was refused, the most frequent first. */
export const reasonsIn = (refused: Readonly<Record<UsageRefusal, number>>): readonly UsageRefusal[] =>
  REFUSALS.filter((reason) => refused[reason] > 0).sort((a, b) => refused[b] - refused[a]);
