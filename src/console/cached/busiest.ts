import { readAll } from "../../base/read-all.ts";
import { SECOND_MS } from "../../base/time/clock.ts";
import { nextTurn } from "../../base/time/turn.ts";
import { type Grain, startOf, startsBetween } from "../../domain/usage/grains.ts";
import type { KeyRequests, UsageStore } from "../../store/ports/store.ts";
import { CachedValue, type CacheParts } from "./cached-value.ts";

const MAX_AGE_MS = 10 * SECOND_MS;
const SHOWN = 10;
/** A page of this size takes a few milliseconds to read. */
const KEYS_AT_ONCE = 1_000;
/** The number of latest buckets that still change: instances flush their counts some seconds later. */
const CHANGING = 2;

interface Parts extends CacheParts {
  readonly usage: Pick<UsageStore, "requestsByKey">;
}

const COUNTS = ["requests", "clientErrors", "refused"] as const;

/** The sums of one minute, hour or day, indexed by the places of keys: with 10,000 keys, 240 kB. */
type Bucket = Readonly<Record<(typeof COUNTS)[number], Float64Array>>;

const newBucket = (size: number): Bucket => ({
  requests: new Float64Array(size),
  clientErrors: new Float64Array(size),
  refused: new Float64Array(size),
});

type Sums = Awaited<ReturnType<UsageSums["sumUp"]>>;

/** Caches the keys with the most requests in a span, and how many requests of each key were refused. */
export function busiestKeys(parts: Parts, grain: Grain, spanMs: number): CachedValue<Sums> {
  const summing = new UsageSums(parts, grain, spanMs);
  const { clock, onFailure } = parts;
  return new CachedValue({ clock, maxAgeMs: MAX_AGE_MS, find: (before) => summing.sumUp(before?.buckets), onFailure });
}

/**
 * Sums up the requests of each key. For 30 days of 10,000 keys, that takes seconds, so each bucket is read once, and
 * only the latest are read again.
 */
class UsageSums {
  readonly #places = new Map<string, number>();

  constructor(
    private readonly parts: Parts,
    /** The store keeps sums of keys by minute for 6 hours, by hour for 31 days, and by day. */
    private readonly grain: Grain,
    private readonly spanMs: number,
  ) {}

  async sumUp(before: ReadonlyMap<number, Bucket> = new Map()) {
    const { grain, spanMs } = this;
    const nowMs = this.parts.clock.nowMs();
    const starts = startsBetween(grain, startOf(grain, nowMs - spanMs), nowMs);
    const buckets = new Map<number, Bucket>();
    for (const [i, start] of starts.entries()) {
      const isFinal = i < starts.length - CHANGING;
      buckets.set(start, (isFinal ? before.get(start) : undefined) ?? (await this.#read(start)));
    }
    const sums = this.#sumsOf([...buckets.values()]);
    const refused = new Map(sums.flatMap((each) => (each.refused > 0 ? [[each.keyId, each.refused]] : [])));
    return { buckets, busiest: busiestIn(sums), refused };
  }

  async #read(startedAtMs: number): Promise<Bucket> {
    const { usage } = this.parts;
    const { grain } = this;
    const rows = await readAll(
      KEYS_AT_ONCE,
      (page) => usage.requestsByKey({ grain, startedAtMs, ...page }),
      ({ keyId }) => keyId,
    );
    // A month has 31 buckets: requests get their turn after each.
    await nextTurn();
    for (const { keyId } of rows) if (!this.#places.has(keyId)) this.#places.set(keyId, this.#places.size);
    const size = rows.length === 0 ? 0 : this.#places.size;
    const sums = newBucket(size);
    for (const row of rows) {
      const place = this.#places.get(row.keyId) as number;
      for (const count of COUNTS) sums[count][place] = row[count];
    }
    return sums;
  }

  #sumsOf(buckets: readonly Bucket[]): readonly KeyRequests[] {
    const all = newBucket(this.#places.size);
    for (const bucket of buckets)
      for (const count of COUNTS)
        for (const [place, value] of bucket[count].entries()) all[count][place] = (all[count][place] as number) + value;
    return [...this.#places].map(([keyId, place]) => ({
      keyId,
      requests: all.requests[place] as number,
      clientErrors: all.clientErrors[place] as number,
      refused: all.refused[place] as number,
    }));
  }
}

const busiestIn = (sums: readonly KeyRequests[]): readonly KeyRequests[] =>
  sums
    .filter((each) => each.requests > 0)
    .sort((a, b) => b.requests - a.requests || (a.keyId < b.keyId ? -1 : 1))
    .slice(0, SHOWN);
