import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/time/clock.ts";
import { addCounts, type UsageCounts } from "./usage.ts";

// How finely usage is summed up, and for how long that is kept.

export const GRAINS = ["minute", "hour", "day"] as const;
export type Grain = (typeof GRAINS)[number];

const LENGTH_MS: Readonly<Record<Grain, number>> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS };

/** Of all requests together, or of each key. */
export type UsageSeries = "total" | "key";

/** For how long sums are kept. 10,000 busy keys have 15 million of them. */
export const KEPT_MS: Readonly<Record<UsageSeries, Partial<Record<Grain, number>>>> = {
  total: { minute: 2 * DAY_MS, hour: 400 * DAY_MS },
  key: { minute: 6 * HOUR_MS, hour: 31 * DAY_MS, day: 400 * DAY_MS },
};

/** Days are those of UTC. */
export const startOf = (grain: Grain, ms: number): number => Math.floor(ms / LENGTH_MS[grain]) * LENGTH_MS[grain];

export const endOf = (grain: Grain, startedAtMs: number): number => startedAtMs + LENGTH_MS[grain];

/** What began before this moment may be deleted: all of it is older than what is kept. */
export const sweptBefore = (grain: Grain, keptMs: number, nowMs: number): number => startOf(grain, nowMs - keptMs);

/** The starts from one moment to another, both included. */
export function startsBetween(grain: Grain, fromMs: number, toMs: number): number[] {
  const starts: number[] = [];
  for (let at = startOf(grain, fromMs); at <= toMs; at += LENGTH_MS[grain]) starts.push(at);
  return starts;
}

/** More lines than that are not looked at. */
const MAX_SHOWN = 100;

/** The finest grain that shows a span in a sensible number of sums, and is kept for so long. Undefined: none is. */
export function grainFor(series: UsageSeries, sinceMs: number): Grain | undefined {
  const kept = GRAINS.filter((grain) => (KEPT_MS[series][grain] ?? 0) >= sinceMs);
  return kept.find((grain) => sinceMs <= MAX_SHOWN * LENGTH_MS[grain]) ?? kept.at(-1);
}

/** What was counted in one minute, or another span: of a key, or of all requests. */
export interface UsageSum {
  /** Null: of all requests, whoever sent them. */
  readonly keyId: string | null;
  readonly startedAtMs: number;
  readonly counts: readonly number[];
}

/** The same sums at a grain that is as coarse or coarser, by start and then by key: whoever writes them locks in one order. */
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
