import { done, type Result, refused } from "../../base/result.ts";
import { type Awaitable, andThen } from "../../base/time/awaitable.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Key } from "../../domain/keys/key.ts";
import {
  endOf,
  GRAINS,
  type Grain,
  grainFor,
  KEPT_MS,
  startOf,
  startsBetween,
  type UsageSeries,
  type UsageSum,
} from "../../domain/usage/grains.ts";
import { addCounts, newCounts, type Usage, type UsageCounts, usageOf } from "../../domain/usage/usage.ts";
import type { KeyStore, UsageSpan, UsageStore } from "../../store/ports/store.ts";
import { type FindRefusal, findKey } from "./find.ts";

/** The span begins before the oldest sums of this grain; without a grain, before all sums. */
export interface NotKept {
  readonly kind: "not_kept";
  readonly grain: Grain | undefined;
  readonly keptMs: number;
}

/** Usage over time, up to now, with a bucket for every minute, hour or day, even without requests. */
export type UsageReport = ReturnType<typeof reportOf>;
export type UsageBucket = UsageReport["buckets"][number];

export interface KeyUsageReport extends UsageReport {
  readonly key: Key;
}

export interface UsageOfOneKey {
  readonly keyId: string;
  /** Undefined: it was deleted meanwhile. */
  readonly key: Key | undefined;
  readonly usage: Usage;
}

export interface AllUsageReport extends UsageReport {
  /** Keys with requests, the busiest first. */
  readonly keys: readonly UsageOfOneKey[];
}

interface Parts {
  readonly keys: KeyStore;
  readonly usage: UsageStore;
  readonly clock: Clock;
}

export interface UsageQuery {
  readonly sinceMs: number;
  /** Undefined: one that suits the span. */
  readonly grain?: Grain | undefined;
}

/** The usage of the key with an id, or of the only one with a name. */
export async function usageOfKey(
  { keys, usage, clock }: Parts,
  idOrName: string,
  query: UsageQuery,
): Promise<Result<KeyUsageReport, FindRefusal | NotKept>> {
  const found = await findKey(keys, idOrName);
  if (found.kind === "refused") return found;
  const key = found.value;
  const report = await usageOfKeyId({ usage, clock }, key.id, query);
  return report.kind === "refused" ? report : done({ key, ...report.value });
}

/** The usage of a key whose id is known to be right: at once, if the store answers at once. */
export function usageOfKeyId(
  { usage, clock }: Pick<Parts, "clock"> & { readonly usage: Pick<UsageStore, "ofKey"> },
  keyId: string,
  query: UsageQuery,
): Awaitable<Result<UsageReport, NotKept>> {
  const span = spanOf("key", query, clock.nowMs());
  if (span.kind === "refused") return span;
  return andThen(usage.ofKey(keyId, span.value), (sums) => done(reportOf(span.value, sums)));
}

/** The usage of everybody, and of each key. */
export async function usageOfAll(
  { keys, usage, clock }: Parts,
  { sinceMs }: Pick<UsageQuery, "sinceMs">,
): Promise<Result<AllUsageReport, NotKept>> {
  const chosen = spanOf("key", { sinceMs }, clock.nowMs());
  if (chosen.kind === "refused") return chosen;
  const span = chosen.value;
  // Both begin with the buckets of keys; totals have no buckets by day.
  const totals = await usage.totals({ ...span, grain: span.grain === "minute" ? "minute" : "hour" });
  const known = new Map((await keys.list()).map((key) => [key.id, key]));
  const sums = await sumsByKey(usage, span);
  const listed = [...sums].map(([keyId, counts]) => ({ keyId, key: known.get(keyId), usage: usageOf(counts) }));
  listed.sort((a, b) => b.usage.requests - a.usage.requests || (a.keyId < b.keyId ? -1 : 1));
  return done({ ...reportOf(span, totals), keys: listed });
}

/** Whole buckets, up to the current one. */
function spanOf(series: UsageSeries, query: UsageQuery, nowMs: number): Result<UsageSpan, NotKept> {
  const { sinceMs, grain = grainFor(series, sinceMs) } = query;
  const keptMs = Math.max(...(grain ? [grain] : GRAINS).map((each) => KEPT_MS[series][each] ?? 0));
  if (!grain || sinceMs > keptMs) return refused({ kind: "not_kept", grain: query.grain, keptMs });
  return done({ grain, fromMs: startOf(grain, nowMs - sinceMs), beforeMs: endOf(grain, startOf(grain, nowMs)) });
}

/** The sums of a span by its buckets. */
export function reportOf({ grain, fromMs, beforeMs }: UsageSpan, sums: readonly UsageSum[]) {
  const counts = new Map(startsBetween(grain, fromMs, beforeMs - 1).map((start) => [start, newCounts()]));
  const all = newCounts();
  for (const sum of sums) {
    addCounts(all, sum.counts);
    const bucket = counts.get(startOf(grain, sum.startedAtMs));
    if (bucket) addCounts(bucket, sum.counts);
  }
  const buckets = [...counts].map(([startedAtMs, each]) => ({ startedAtMs, usage: usageOf(each) }));
  return { grain, fromMs, buckets, sum: usageOf(all) };
}

/** Bounds a statement to a fraction of a second with 10,000 keys, however long the span is. */
const BUCKETS_AT_ONCE = 30;

async function sumsByKey(usage: UsageStore, { grain, fromMs, beforeMs }: UsageSpan) {
  const starts = startsBetween(grain, fromMs, beforeMs - 1);
  const sums = new Map<string, UsageCounts>();
  for (let i = 0; i < starts.length; i += BUCKETS_AT_ONCE) {
    const slice = { grain, fromMs: starts[i] as number, beforeMs: starts[i + BUCKETS_AT_ONCE] ?? beforeMs };
    for (const { keyId, counts } of await usage.byKey(slice)) {
      if (keyId === null) continue;
      const known = sums.get(keyId);
      if (known) addCounts(known, counts);
      else sums.set(keyId, [...counts]);
    }
  }
  return sums;
}
