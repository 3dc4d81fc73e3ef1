import { type Clock, SECOND_MS } from "../../base/time/clock.ts";
import { type Grain, startOf, startsBetween } from "../../domain/usage/grains.ts";
import type { KeyRequests, UsageStore } from "../../store/ports/store.ts";
import { CachedValue, type Known } from "./cached-value.ts";

const STAYS_MS = 10 * SECOND_MS;
const SHOWN = 10;
/** So many take a few milliseconds to read. */
const KEYS_AT_ONCE = 1_000;
/** Instances flush what they have counted some seconds later: the sums before these do not change any more. */
const CHANGING = 2;

interface Parts {
  readonly usage: Pick<UsageStore, "requestsByKey">;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

/** The sums of one minute, hour or day, by the places of keys: with 10,000 keys, 160 kB. */
interface Bucket {
  readonly requests: Float64Array;
  readonly refused: Float64Array;
}

interface Sums {
  readonly buckets: ReadonlyMap<number, Bucket>;
  readonly busiest: readonly KeyRequests[];
}

/**
 * The keys that asked for most in some time. To sum up 30 days of 10,000 keys takes seconds, so each bucket is read once,
 * beside requests, and only the latest again.
 */
export class BusiestKeys {
  readonly #remembered: CachedValue<Sums>;
  readonly #places = new Map<string, number>();

  constructor(
    private readonly parts: Parts,
    /** Of keys there are sums by minute for 6 hours, by hour for 31 days, and by day. */
    private readonly grain: Grain,
    private readonly spanMs: number,
  ) {
    this.#remembered = new CachedValue({
      clock: parts.clock,
      staysMs: STAYS_MS,
      find: (before) => this.#sumUp(before?.buckets),
      onFailure: parts.onFailure,
    });
  }

  /** The busiest first; undefined: not known yet. */
  async latest(): Promise<Known<readonly KeyRequests[]> | undefined> {
    const known = await this.#remembered.latest();
    return known && { value: known.value.busiest, asOfMs: known.asOfMs };
  }

  settled(): Promise<void> {
    return this.#remembered.settled();
  }

  async #sumUp(before: ReadonlyMap<number, Bucket> = new Map()): Promise<Sums> {
    const { grain, spanMs } = this;
    const nowMs = this.parts.clock.nowMs();
    const starts = startsBetween(grain, startOf(grain, nowMs - spanMs), nowMs);
    const buckets = new Map<number, Bucket>();
    for (const [i, start] of starts.entries()) {
      const isFinal = i < starts.length - CHANGING;
      buckets.set(start, (isFinal ? before.get(start) : undefined) ?? (await this.#read(start)));
    }
    return { buckets, busiest: this.#busiestIn([...buckets.values()]) };
  }

  async #read(startedAtMs: number): Promise<Bucket> {
    const rows: KeyRequests[] = [];
    for (let afterId: string | undefined = ""; afterId !== undefined; ) {
      const bucket = { grain: this.grain, startedAtMs, afterId, size: KEYS_AT_ONCE };
      const some: readonly KeyRequests[] = await this.parts.usage.requestsByKey(bucket);
      rows.push(...some);
      afterId = some.length < KEYS_AT_ONCE ? undefined : some.at(-1)?.keyId;
      // Requests get their turn.
      await new Promise(setImmediate);
    }
    for (const { keyId } of rows) if (!this.#places.has(keyId)) this.#places.set(keyId, this.#places.size);
    const size = rows.length === 0 ? 0 : this.#places.size;
    const sums = { requests: new Float64Array(size), refused: new Float64Array(size) };
    for (const { keyId, requests, refused } of rows) {
      const place = this.#places.get(keyId) as number;
      sums.requests[place] = requests;
      sums.refused[place] = refused;
    }
    return sums;
  }

  #busiestIn(buckets: readonly Bucket[]): readonly KeyRequests[] {
    const [requests, refused] = [new Float64Array(this.#places.size), new Float64Array(this.#places.size)];
    for (const bucket of buckets)
      for (let place = 0; place < bucket.requests.length; place++) {
        requests[place] = (requests[place] as number) + (bucket.requests[place] as number);
        refused[place] = (refused[place] as number) + (bucket.refused[place] as number);
      }
    const sums = [...this.#places].map(([keyId, place]) => ({
      keyId,
      requests: requests[place] as number,
      refused: refused[place] as number,
    }));
    return sums
      .filter((each) => each.requests > 0)
      .sort((a, b) => b.requests - a.requests || (a.keyId < b.keyId ? -1 : 1))
      .slice(0, SHOWN);
  }
}
