// Usage: how many requests there were, and their outcomes, for people to look at later. It decides nothing: quotas are
// the business of tallies.

/**
 * The outcome of a request under /v1. Each answered request has exactly one: a status of 500 or more is `failed`, else
 * the reason of a refusal counts, else the status.
 */
export const OUTCOMES = [
  /** Admitted, and answered with a status below 400. */
  "passed",
  /** Admitted, and answered with a status from 400 to 499: a mistake of the client. */
  "client_error",
  /** Refused, because the key has used up a quota, is banned, or lacks the scope. */
  "minute_quota",
  "day_quota",
  "banned",
  "scope",
  /** Refused without a valid key: there was none, or its address has sent too many such requests. In totals only. */
  "no_key",
  "address_quota",
  "failed",
] as const;

export type UsageOutcome = (typeof OUTCOMES)[number];

export const REFUSALS = ["minute_quota", "day_quota", "banned", "scope", "no_key", "address_quota"] as const;
export type UsageRefusal = (typeof REFUSALS)[number];

export function outcomeOf(refusal: UsageRefusal | undefined, status: number): UsageOutcome {
  if (status >= 500) return "failed";
  if (refusal !== undefined) return refusal;
  return status >= 400 ? "client_error" : "passed";
}

/** Upper bounds of the buckets of all latency histograms; one more bucket is above them. */
export const LATENCY_BOUNDS_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500] as const;
const LATENCY_BUCKETS = LATENCY_BOUNDS_MS.length + 1;

/** Counts by index: the outcomes, then the latency buckets of all requests that were not refused. */
export type UsageCounts = number[];

const FIRST_BUCKET = OUTCOMES.length;

/** The database column of each count. Those of latency end in the bound, such as ms_2_5. */
export const USAGE_COLUMNS: readonly string[] = [
  ...OUTCOMES,
  ...LATENCY_BOUNDS_MS.map((bound) => `ms_${String(bound).replace(".", "_")}`),
  "ms_more",
];

export const newCounts = (): UsageCounts => new Array<number>(USAGE_COLUMNS.length).fill(0);

const PLACE_OF = Object.fromEntries(OUTCOMES.map((outcome, place) => [outcome, place])) as Record<UsageOutcome, number>;

const LAST_REFUSAL = PLACE_OF.address_quota;
const FIRST_REFUSAL = PLACE_OF.minute_quota;

/** The index at which a request of this outcome is counted. */
export const placeOfOutcome = (outcome: UsageOutcome): number => PLACE_OF[outcome];

/** The index of the latency bucket; -1 for a refusal, whose short time would hide those of the others. */
export function placeOfLatency(placeOfOutcome: number, ms: number): number {
  if (placeOfOutcome >= FIRST_REFUSAL && placeOfOutcome <= LAST_REFUSAL) return -1;
  let bucket = 0;
  while (bucket < LATENCY_BOUNDS_MS.length && ms > (LATENCY_BOUNDS_MS[bucket] as number)) bucket++;
  return FIRST_BUCKET + bucket;
}

/** A key that requests are counted for. The counter caches its place here: a lookup among many keys is slower. */
export interface CountedKey {
  readonly keyId: string;
  /** The counts that the place belongs to: each set of counts has a number of its own. */
  generation: number;
  place: number;
}

export const newCountedKey = (keyId: string): CountedKey => ({ keyId, generation: -1, place: 0 });

export function addCounts(to: UsageCounts, counts: readonly number[]): void {
  for (let place = 0; place < to.length; place++) to[place] = (to[place] as number) + (counts[place] as number);
}

/** Counts under their names, for display. */
export type Usage = Readonly<ReturnType<typeof usageOf>>;

export function usageOf(counts: readonly number[]) {
  const count = (outcome: UsageOutcome): number => counts[PLACE_OF[outcome]] as number;
  const refused = Object.fromEntries(REFUSALS.map((refusal) => [refusal, count(refusal)])) as Record<
    UsageRefusal,
    number
  >;
  const refusedInAll = REFUSALS.reduce((sum, refusal) => sum + count(refusal), 0);
  const [passed, clientErrors, failed] = [count("passed"), count("client_error"), count("failed")];
  const requests = passed + clientErrors + refusedInAll + failed;
  /** The number of requests in each latency bucket; the last is above all bounds. */
  const latency: readonly number[] = counts.slice(FIRST_BUCKET);
  return { requests, passed, clientErrors, refused, refusedInAll, failed, latency };
}

/**
 * A quantile of the latency, interpolated linearly within its bucket; undefined if there were no requests. The last
 * bound stands for everything above it.
 */
export function quantileMs(latency: readonly number[], share: number): number | undefined {
  const total = latency.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const wanted = share * total;
  let below = 0;
  for (let bucket = 0; bucket < LATENCY_BUCKETS - 1; bucket++) {
    const count = latency[bucket] as number;
    if (below + count >= wanted && count > 0) {
      const fromMs = bucket === 0 ? 0 : (LATENCY_BOUNDS_MS[bucket - 1] as number);
      const toMs = LATENCY_BOUNDS_MS[bucket] as number;
      return Math.min(toMs, fromMs + ((toMs - fromMs) * Math.max(0, wanted - below)) / count);
    }
    below += count;
  }
  return LATENCY_BOUNDS_MS.at(-1);
}
