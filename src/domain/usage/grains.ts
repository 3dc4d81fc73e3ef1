import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/time/clock.ts";
import { addCounts, type UsageCounts } from "./usage.ts";

// Usage is summed up by minute, hour and day, each kept for its own time.

export const GRAINS = ["minute", "hour", "day"] as const;
export type Grain = (typeof GRAINS)[number];

const LENGTH_MS: Readonly<Record<Grain, number>> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS };

/** Sums of all requests together, or of each key. */
export type UsageSeries = "total" | "key";

/** The time for which sums are kept: 10,000 busy keys have 15 million of them. */
export const KEPT_MS: Readonly<Record<UsageSeries, Partial<Record<Grain, number>>>> = {
  total: { minute: 2 * DAY_MS, hour: 400 * DAY_MS },
  key: { minute: 6 * HOUR_MS, hour: 31 * DAY_MS, day: 400 * DAY_MS },
};

/** The start of the minute, hour or day of a moment. Days are those of UTC. */
export const startOf = (grain: Grain, ms: number): number => Math.floor(ms / LENGTH_MS[grain]) * LENGTH_MS[grain];

export const endOf = (grain: Grain, startedAtMs: number): number => startedAtMs + LENGTH_MS[grain];

/** Sums that began before this moment are no longer kept. */
export const sweptBefore = (grain: Grain, keptMs: number, nowMs: number): number => startOf(grain, nowMs - keptMs);

/** The starts from one moment to another, both included. */
export function startsBetween(grain: Grain, fromMs: number, toMs: number): number[] {
  const starts: number[] = [];
  for (let at = startOf(grain, fromMs); at <= toMs; at += LENGTH_MS[grain]) starts.push(at);
  return starts;
}

/** The most sums that a person looks at. */
const MAX_SHOWN = 100;

/** The finest grain that is kept for this long and shows it in few enough sums; undefined if none is kept so long. */
export function grainFor(series: UsageSeries, sinceMs: number): Grain | undefined {
  const kept = GRAINS.filter((grain) => (KEPT_MS[series][grain] ?? 0) >= sinceMs);
  return kept.find((grain) => sinceMs <= MAX_SHOWN * LENGTH_MS[grain]) ?? kept.at(-1);
}

/** From one moment on and before another; without an end, up to now. */
export interface Period {
  readonly fromMs: number;
  readonly untilMs?: number | undefined;
}

/** The longest period that is shown by minute or by hour. Longer ones are shown in the next coarser grain. */
const SHOWN_MS: Readonly<Record<Grain, number>> = {
  minute: 3 * HOUR_MS,
  hour: 31 * DAY_MS,
  day: Number.POSITIVE_INFINITY,
};

/** The grain in which a period of the past is shown; undefined if nothing is kept that began so long ago. */
export const grainOfPeriod = (series: UsageSeries, lengthMs: number, ageMs: number): Grain | undefined =>
  GRAINS.find((grain) => lengthMs <= SHOWN_MS[grain] && keptAs(series, grain).keptMs >= ageMs);

/** The grain in which the sums of one are kept, and for how long: days of all requests are made of their hours. */
export function keptAs(series: UsageSeries, grain: Grain): { readonly kept: Grain; readonly keptMs: number } {
  const kept = KEPT_MS[series][grain] === undefined ? "hour" : grain;
  return { kept, keptMs: KEPT_MS[series][kept] ?? 0 };
}

/** The requests of a key, or of everybody, in one minute, hour or day. */
export interface UsageSum {
  /** Null for the sum of all requests. */
  readonly keyId: string | null;
  readonly startedAtMs: number;
  readonly counts: readonly number[];
}

/** Merges sums to a coarser grain, sorted by start and key: so all writers lock rows in the same order. */
export function atGrain(grain: Grain, sums: readonly UsageSum[]): UsageSum[] {
  const merged = new Map<string, UsageSum & { counts: UsageCounts }>();
  for (const { keyId, startedAtMs, counts } of sums) {
    const start = startOf(grain, startedAtMs);
    const name = `${start} ${keyId}`;
    const known = merged.get(name);
    if (known) addCounts(known.counts, counts);
    else merged.set(name, { keyId, startedAtMs: start, counts: [...counts] });
  }
  return [...merged.values()].sort(
    (a, b) => a.startedAtMs - b.startedAtMs || ((a.keyId ?? "") < (b.keyId ?? "") ? -1 : 1),
  );
}
