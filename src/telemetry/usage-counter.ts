import { endOf, startOf, type UsageSum } from "../domain/usage/grains.ts";
import {
  type CountedKey,
  newCounts,
  placeOfLatency,
  placeOfOutcome,
  type UsageCounts,
  type UsageOutcome,
} from "../domain/usage/usage.ts";
import type { UsageCount } from "./telemetry.ts";

type Minute = ReturnType<typeof newMinute>;

const WIDTH = newCounts().length;
const NO_ROOM = -1;
/** The initial capacity, which grows with the number of keys. */
const KEYS_AT_FIRST = 16;

/** The limit of keys' sums that cannot be stored yet: 10,000 keys for 5 minutes, in some 10 MB. */
const MAX_SUMS = 50_000;
/** The limit of minutes. Only a clock that jumps about gets beyond it. */
const MAX_MINUTES = 3_000;

/**
 * Counts outcomes of requests in the memory of one thread. It stays small whatever happens: where there is no room,
 * requests are counted in the totals only.
 */
export class UsageCounter implements UsageCount {
  readonly #minutes = new Map<number, Minute>();
  #current: Minute;
  #sums = 0;
  #unattributed = 0;
  /** Called for the first request since the counts were taken, and hence now and then. */
  onFirst: (() => void) | undefined;

  constructor(private readonly maxSums = MAX_SUMS) {
    this.#current = newMinute(Number.NaN);
  }

  count(key: CountedKey | undefined, outcome: UsageOutcome, ms: number, atMs: number): void {
    // Negated, so that the first minute, whose bounds are NaN, is left at once.
    if (!(atMs >= this.#current.startedAtMs && atMs < this.#current.endsAtMs)) this.#current = this.#minuteOf(atMs);
    const { totals, generation } = this.#current;
    const place = placeOfOutcome(outcome);
    const placeInHistogram = placeOfLatency(place, ms);
    (totals[place] as number)++;
    if (placeInHistogram >= 0) (totals[placeInHistogram] as number)++;
    if (key === undefined) return;
    const from = key.generation === generation ? key.place : this.#find(key);
    if (from === NO_ROOM) return;
    const { counts } = this.#current;
    (counts[from + place] as number)++;
    if (placeInHistogram >= 0) (counts[from + placeInHistogram] as number)++;
  }

  /** True: no request was counted since the counts were taken. */
  get isEmpty(): boolean {
    return this.#minutes.size === 0;
  }

  /** Returns and clears all counts, keys first. */
  take(): UsageSum[] {
    const ofKeys: UsageSum[] = [];
    const totals: UsageSum[] = [];
    for (const minute of this.#minutes.values()) {
      const { startedAtMs } = minute;
      for (const [keyId, from] of minute.placeOfKey)
        ofKeys.push({ keyId, startedAtMs, counts: copyOf(minute.counts, from) });
      totals.push({ keyId: null, startedAtMs, counts: minute.totals });
    }
    this.#minutes.clear();
    this.#current = newMinute(Number.NaN);
    this.#sums = 0;
    return [...ofKeys, ...totals];
  }

  /** Returns how many requests since the last call are in the totals, but found no room in their key's counts. */
  takeUnattributed(): number {
    const unattributed = this.#unattributed;
    this.#unattributed = 0;
    return unattributed;
  }

  #minuteOf(atMs: number): Minute {
    const startedAtMs = startOf("minute", atMs);
    const known = this.#minutes.get(startedAtMs);
    if (known) return known;
    if (this.#minutes.size === 0) this.onFirst?.();
    const oldest = this.#minutes.size >= MAX_MINUTES ? this.#minutes.values().next().value : undefined;
    if (oldest) {
      this.#minutes.delete(oldest.startedAtMs);
      this.#sums -= oldest.placeOfKey.size;
    }
    const minute = newMinute(startedAtMs);
    this.#minutes.set(startedAtMs, minute);
    return minute;
  }

  #find(key: CountedKey): number {
    const from = this.#current.placeOfKey.get(key.keyId) ?? this.#add(key.keyId);
    if (from === NO_ROOM) return NO_ROOM;
    key.generation = this.#current.generation;
    key.place = from;
    return from;
  }

  #add(keyId: string): number {
    if (this.#sums >= this.maxSums) {
      this.#unattributed++;
      return NO_ROOM;
    }
    this.#sums++;
    const minute = this.#current;
    const from = minute.placeOfKey.size * WIDTH;
    if (from === minute.counts.length) {
      const larger = new Uint32Array(2 * from);
      larger.set(minute.counts);
      minute.counts = larger;
    }
    minute.placeOfKey.set(keyId, from);
    return from;
  }
}

/** The last generation of all counters of this thread. */
let generations = 0;

/** The counts of one minute so far. */
const newMinute = (startedAtMs: number) => ({
  generation: ++generations,
  startedAtMs,
  endsAtMs: endOf("minute", startedAtMs),
  totals: newCounts(),
  /** The index at which the counts of each key begin. */
  placeOfKey: new Map<string, number>(),
  /** The counts of all keys, one after the other: with many keys, this takes half the time of an array for each. */
  counts: new Uint32Array(KEYS_AT_FIRST * WIDTH),
});

/** A loop: the built-in methods take ten times as long. */
function copyOf(counts: Uint32Array, from: number): UsageCounts {
  const copy = newCounts();
  for (let i = 0; i < WIDTH; i++) copy[i] = counts[from + i] as number;
  return copy;
}
