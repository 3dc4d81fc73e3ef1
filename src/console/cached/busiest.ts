import { BoundedMap } from "../../base/bounded-map.ts";
import { readAll } from "../../base/read-all.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../base/time/clock.ts";
import { nextTurn } from "../../base/time/turn.ts";
import { GRAINS, type Grain, keptAs, type Period, startOf, startsBetween } from "../../domain/usage/grains.ts";
import type { KeyRequests, UsageStore } from "../../store/ports/store.ts";
import type { ChosenPeriod, KeyOutcome, Span } from "../api/index.ts";
import { CachedValue, type CacheParts } from "./cached-value.ts";
import { SPAN_MS } from "./periods.ts";

const MAX_AGE_MS = 10 * SECOND_MS;
const SHOWN = 10;
/** A page of this size takes a few milliseconds to read. */
const KEYS_AT_ONCE = 1_000;
/** The number of latest buckets that still change: instances flush their counts some seconds later. */
const CHANGING = 2;

interface Parts extends CacheParts {
  readonly usage: Pick<UsageStore, "requestsByKey">;
}

const COUNTS = ["requests", "clientErrors", "refused", "failed"] as const;

/** The sums of one minute, hour or day, indexed by the places of keys: with 10,000 keys, 320 kB. */
type Bucket = Readonly<Record<(typeof COUNTS)[number], Float64Array>>;

const newBucket = (size: number): Bucket => ({
  requests: new Float64Array(size),
  clientErrors: new Float64Array(size),
  refused: new Float64Array(size),
  failed: new Float64Array(size),
});

/** The requests of a key by their outcome, over time: a value for each minute, hour or day. */
export type KeySeries = Readonly<Record<KeyOutcome, readonly number[]>>;

type Sums = Awaited<ReturnType<UsageSums["sumUp"]>>;

/** The buckets of 10,000 keys in a period take 38 MB at most. */
const PERIODS_KEPT = 2;
/** The longest periods that are summed up, by the buckets that are read. */
const LONGEST_MS: Readonly<Record<Grain, number>> = { minute: 2 * HOUR_MS, hour: 4 * DAY_MS, day: 31 * DAY_MS };

/** The keys with the most requests, and the refusals of each: in each span, and in the periods that were chosen last. */
export class BusiestKeys {
  readonly ofSpans: Readonly<Record<Span, CachedValue<Sums>>>;
  readonly #ofPeriods = new BoundedMap<CachedValue<Sums>>(PERIODS_KEPT);

  constructor(private readonly parts: Parts) {
    const ofSpan = (span: Span, grain: Grain) => {
      const startsAt = (nowMs: number) => startsBetween(grain, startOf(grain, nowMs - SPAN_MS[span]), nowMs);
      return this.#cached(grain, startsAt);
    };
    this.ofSpans = { hour: ofSpan("hour", "minute"), day: ofSpan("day", "hour"), month: ofSpan("month", "day") };
  }

  /** Undefined: the period is too long, or began too long ago. */
  of(chosen: ChosenPeriod): CachedValue<Sums> | undefined {
    if ("span" in chosen) return this.ofSpans[chosen.span];
    const grain = this.#grainOf(chosen);
    if (!grain) return undefined;
    const { fromMs, untilMs } = chosen;
    // A period without an end grows out of its grain.
    const name = `${grain} ${fromMs} ${untilMs}`;
    const startsAt = (nowMs: number) => startsBetween(grain, fromMs, untilMs === undefined ? nowMs : untilMs - 1);
    const known = this.#ofPeriods.get(name) ?? this.#cached(grain, startsAt);
    // Set again, so that it is the newest.
    this.#ofPeriods.set(name, known);
    return known;
  }

  #grainOf({ fromMs, untilMs }: Period): Grain | undefined {
    const nowMs = this.parts.clock.nowMs();
    const lengthMs = (untilMs ?? nowMs) - fromMs;
    return GRAINS.find((each) => lengthMs <= LONGEST_MS[each] && nowMs - fromMs <= keptAs("key", each).keptMs);
  }

  settled(): Promise<unknown> {
    return Promise.all([...Object.values(this.ofSpans), ...this.#ofPeriods.values()].map((each) => each.settled()));
  }

  #cached(grain: Grain, startsAt: (nowMs: number) => readonly number[]): CachedValue<Sums> {
    const summing = new UsageSums(this.parts, grain, startsAt);
    const { clock, onFailure } = this.parts;
    return new CachedValue({
      clock,
      maxAgeMs: MAX_AGE_MS,
      find: (before) => summing.sumUp(before?.buckets),
      onFailure,
    });
  }
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
    /** The starts of the buckets, ascending. */
    private readonly startsAt: (nowMs: number) => readonly number[],
  ) {}

  async sumUp(before: ReadonlyMap<number, Bucket> = new Map()) {
    const starts = this.startsAt(this.parts.clock.nowMs());
    const buckets = new Map<number, Bucket>();
    for (const [i, start] of starts.entries()) {
      const isFinal = i < starts.length - CHANGING;
      buckets.set(start, (isFinal ? before.get(start) : undefined) ?? (await this.#read(start)));
    }
    const inOrder = [...buckets.values()];
    const sums = this.#sumsOf(inOrder);
    const refused = new Map(sums.flatMap((each) => (each.refused > 0 ? [[each.keyId, each.refused]] : [])));
    const seriesOf = (keyId: string): KeySeries | undefined => this.#seriesIn(inOrder, keyId);
    return { buckets, busiest: busiestIn(sums), refused, seriesOf };
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

  #seriesIn(buckets: readonly Bucket[], keyId: string): KeySeries | undefined {
    const place = this.#places.get(keyId);
    if (place === undefined) return undefined;
    const valuesOf = (count: (typeof COUNTS)[number]): number[] => buckets.map((bucket) => bucket[count][place] ?? 0);
    const [clientErrors, refused, failed] = [valuesOf("clientErrors"), valuesOf("refused"), valuesOf("failed")];
    const passed = valuesOf("requests").map(
      (requests, i) => requests - (clientErrors[i] as number) - (refused[i] as number) - (failed[i] as number),
    );
    return { passed, clientErrors, refused, failed };
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
      failed: all.failed[place] as number,
    }));
  }
}

const busiestIn = (sums: readonly KeyRequests[]): readonly KeyRequests[] =>
  sums
    .filter((each) => each.requests > 0)
    .sort((a, b) => b.requests - a.requests || (a.keyId < b.keyId ? -1 : 1))
    .slice(0, SHOWN);
