import type { Clock } from "../base/time/clock.ts";
import {
  firstOpenedAtMs,
  isSpent,
  newTally,
  readTally,
  TALLY_NUMBER_NAMES,
  type Tally,
  writeTally,
} from "../domain/limits/tally.ts";
import { Locks } from "./locks.ts";
import { encodeSubject, SUBJECT_BYTES, subjectOf } from "./subject-text.ts";

/** A copy of a tally to save, and its slot. */
export interface UnsavedTally {
  readonly slot: number;
  readonly subject: string;
  readonly tally: Tally;
}

/** Slots per bucket: as many as a word has bits, and enough that hardly any bucket fills long before the others. */
export const WAYS = 32;
const NUMBERS = TALLY_NUMBER_NAMES.length;
const SUBJECT_WORDS = SUBJECT_BYTES / 4;
/** A slot has the numbers of a tally, the number of its claims (its occupancy), and the subject. */
const SLOT_BYTES = (NUMBERS + 1) * 8 + SUBJECT_BYTES;
const SLOT_NUMBERS = SLOT_BYTES / 8;
const SLOT_WORDS = SLOT_BYTES / 4;
const EMPTY = 0;
/** Slots that a thread caches, so that it need not search for them: 1.5 MB. */
const PLACES_MAX = 10_000;

/** Reserves memory for so many subjects, a power of two. Unused parts take up only addresses. */
export function newTableMemory(subjects: number) {
  const buckets = subjects / WAYS;
  const [seed] = crypto.getRandomValues(new BigUint64Array(1));
  return {
    buckets,
    /** Locks, tags, and the bits of unsaved slots. */
    index: new SharedArrayBuffer(buckets * (4 + 4 + WAYS)),
    /**
     * Grows with the slots in use: first one of each bucket, then a second one. The garbage collector counts shared
     * memory as allocated by a thread, and would let as much garbage pile up.
     */
    slots: new SharedArrayBuffer(buckets * SLOT_BYTES, { maxByteLength: subjects * SLOT_BYTES }),
    /** Random, so that nobody can choose subjects that share a bucket. */
    seed: seed as bigint,
  };
}

/**
 * Tallies in shared memory: a hash table of a fixed size, whose buckets are locked one by one. A subject is always in
 * the same bucket. A full bucket evicts a tally that is spent, otherwise the one whose window opened first.
 */
export class TallyTable {
  readonly #buckets: number;
  readonly #seed: bigint;
  readonly #slots: SharedArrayBuffer;
  /** The slots, as numbers and as words. */
  readonly #numbers: Float64Array<SharedArrayBuffer>;
  readonly #words: Int32Array<SharedArrayBuffer>;
  /** One word a bucket, with a bit for each slot whose tally has changed since it was saved. */
  readonly #unsaved: Int32Array<SharedArrayBuffer>;
  /** A byte of each slot's hash, by bucket, so that few texts need to be compared. */
  readonly #tags: Uint8Array<SharedArrayBuffer>;
  readonly #locks: Locks;
  /** The slots of subjects: one is still valid if the occupancy is the same. */
  readonly #places = new Map<string, { readonly slot: number; readonly occupancy: number }>();
  readonly #candidate = newTally();

  constructor(
    { buckets, index, slots, seed }: ReturnType<typeof newTableMemory>,
    private readonly clock: Clock,
    private readonly hash: (text: string, seed: bigint) => bigint = Bun.hash.wyhash,
  ) {
    this.#buckets = buckets;
    this.#seed = seed;
    this.#slots = slots;
    this.#numbers = new Float64Array(slots);
    this.#words = new Int32Array(slots);
    this.#locks = new Locks(new Int32Array(index, 0, buckets));
    this.#unsaved = new Int32Array(index, buckets * 4, buckets);
    this.#tags = new Uint8Array(index, buckets * 8, buckets * WAYS);
  }

  /** Locks the slot of a subject, which gets one if it has none. Nothing may be awaited until unlock(). */
  lock(subject: string): number {
    const place = this.#places.get(subject);
    if (place === undefined) return this.#lockUnknown(subject);
    const { slot, occupancy } = place;
    this.#locks.acquire(this.#bucketOf(slot));
    if (this.#occupancy(slot) === occupancy) return slot;
    this.#locks.release(this.#bucketOf(slot));
    this.#places.delete(subject);
    return this.#lockUnknown(subject);
  }

  unlock(slot: number): void {
    this.#locks.release(this.#bucketOf(slot));
  }

  /** Reads the tally in a locked slot. */
  read(slot: number, tally: Tally): void {
    readTally(tally, this.#numbers, slot * SLOT_NUMBERS);
  }

  /** Writes the tally in a locked slot, and marks it as unsaved. */
  write(slot: number, tally: Tally): void {
    writeTally(tally, this.#numbers, slot * SLOT_NUMBERS);
    (this.#unsaved[this.#bucketOf(slot)] as number) |= this.#bitOf(slot);
  }

  /** Returns a copy of a subject's tally, if there is one. */
  find(subject: string): Tally | undefined {
    const { bucket, tag, text } = this.#identify(subject);
    this.#locks.acquire(bucket);
    try {
      const slot = this.#search(bucket, tag, text);
      return slot === undefined ? undefined : this.#copy(slot);
    } finally {
      this.#locks.release(bucket);
    }
  }

  /** Inserts a saved tally. */
  load(subject: string, tally: Tally): void {
    const slot = this.lock(subject);
    writeTally(tally, this.#numbers, slot * SLOT_NUMBERS);
    this.unlock(slot);
  }

  /** Returns all tallies that have changed since the last call, in any thread. */
  takeUnsaved(): UnsavedTally[] {
    const taken: UnsavedTally[] = [];
    const unsaved = this.#unsaved;
    for (let bucket = 0; bucket < unsaved.length; bucket++) if (unsaved[bucket] !== 0) this.#takeUnsaved(bucket, taken);
    return taken;
  }

  #takeUnsaved(bucket: number, taken: UnsavedTally[]): void {
    this.#locks.acquire(bucket);
    try {
      for (let way = 0; way < WAYS; way++) {
        const slot = way * this.#buckets + bucket;
        if (((this.#unsaved[bucket] as number) & this.#bitOf(slot)) === 0) continue;
        const subject = subjectOf(this.#textIn(slot));
        if (subject !== undefined) taken.push({ slot, subject, tally: this.#copy(slot) });
      }
      this.#unsaved[bucket] = 0;
    } finally {
      this.#locks.release(bucket);
    }
  }

  /** Marks tallies that could not be saved, so that the next call returns them again. */
  putBack(tallies: readonly UnsavedTally[]): void {
    for (const { slot } of tallies) {
      const bucket = this.#bucketOf(slot);
      this.#locks.acquire(bucket);
      (this.#unsaved[bucket] as number) |= this.#bitOf(slot);
      this.#locks.release(bucket);
    }
  }

  #lockUnknown(subject: string): number {
    const { bucket, tag, text } = this.#identify(subject);
    this.#locks.acquire(bucket);
    try {
      const slot = this.#search(bucket, tag, text) ?? this.#claim(bucket, tag, text);
      if (this.#places.size >= PLACES_MAX) this.#places.clear();
      this.#places.set(subject, { slot, occupancy: this.#occupancy(slot) });
      return slot;
    } catch (error) {
      this.#locks.release(bucket);
      throw error;
    }
  }

  #identify(subject: string): { bucket: number; tag: number; text: Int32Array } {
    const hash = this.hash(subject, this.#seed);
    return {
      bucket: Number(BigInt.asIntN(32, hash)) & (this.#buckets - 1),
      tag: Number(BigInt.asUintN(8, hash >> 32n)) || 1,
      text: encodeSubject(subject),
    };
  }

  /** Finds the slot of a subject in its locked bucket. */
  #search(bucket: number, tag: number, text: Int32Array): number | undefined {
    for (let way = 0; way < WAYS; way++) {
      if (this.#tags[bucket * WAYS + way] !== tag) continue;
      const slot = way * this.#buckets + bucket;
      if (this.#isIn(slot, text)) return slot;
    }
    return undefined;
  }

  #isIn(slot: number, text: Int32Array): boolean {
    const at = textAt(slot);
    for (let i = 0; i < SUBJECT_WORDS; i++) if (this.#words[at + i] !== text[i]) return false;
    return true;
  }

  /** Claims a slot for a subject in its locked bucket. */
  #claim(bucket: number, tag: number, text: Int32Array): number {
    const way = this.#wayToClaim(bucket);
    const slot = way * this.#buckets + bucket;
    const at = slot * SLOT_NUMBERS;
    this.#numbers.fill(0, at, at + NUMBERS);
    (this.#numbers[at + NUMBERS] as number)++;
    this.#words.set(text, textAt(slot));
    this.#tags[bucket * WAYS + way] = tag;
    return slot;
  }

  /** Evicts a spent tally only when no slot is empty: after a jump of the clock, a banned key may seem to be spent. */
  #wayToClaim(bucket: number): number {
    const empty = this.#tags.subarray(bucket * WAYS, (bucket + 1) * WAYS).indexOf(EMPTY);
    if (empty >= 0 && this.#hasMemoryFor(empty)) return empty;
    const used = empty >= 0 ? empty : WAYS;
    const nowMs = this.clock.nowMs();
    let oldest = 0;
    let oldestMs = Infinity;
    for (let way = 0; way < used; way++) {
      this.read(way * this.#buckets + bucket, this.#candidate);
      if (isSpent(this.#candidate, nowMs)) return way;
      const openedAtMs = firstOpenedAtMs(this.#candidate);
      if (openedAtMs >= oldestMs) continue;
      oldest = way;
      oldestMs = openedAtMs;
    }
    return oldest;
  }

  /** Returns whether each bucket has this slot, and grows the memory if necessary. False: the system has none left. */
  #hasMemoryFor(way: number): boolean {
    const bytes = (way + 1) * this.#buckets * SLOT_BYTES;
    try {
      if (this.#slots.byteLength < bytes) this.#slots.grow(bytes);
    } catch {
      // Another thread may have grown it further.
    }
    return this.#slots.byteLength >= bytes;
  }

  #copy(slot: number): Tally {
    const tally = newTally();
    this.read(slot, tally);
    return tally;
  }

  #textIn(slot: number): Int32Array {
    return this.#words.slice(textAt(slot), textAt(slot) + SUBJECT_WORDS);
  }

  #occupancy(slot: number): number {
    return this.#numbers[slot * SLOT_NUMBERS + NUMBERS] as number;
  }

  #bucketOf(slot: number): number {
    return slot & (this.#buckets - 1);
  }

  #bitOf(slot: number): number {
    return 1 << ((slot / this.#buckets) | 0);
  }
}

const textAt = (slot: number): number => slot * SLOT_WORDS + (NUMBERS + 1) * 2;
