import { OperatorError } from "../../base/operator-error.ts";
import { readAll } from "../../base/read-all.ts";
import { SECOND_MS } from "../../base/time/clock.ts";
import { nextTurn } from "../../base/time/turn.ts";
import type { Key } from "../../domain/keys/key.ts";
import type { Tally } from "../../domain/limits/tally.ts";
import type { FindCounters } from "../../keys/queries/counters.ts";
import { banEndOf, trueStateOf } from "../../keys/queries/use.ts";
import type { KeyStore } from "../../store/ports/store.ts";
import { CachedValue, type CacheParts } from "./cached-value.ts";

/** Last uses of keys in a list may be this old. Changes by people show at once, by the revision. */
const KEYS_MAX_AGE_MS = 10 * SECOND_MS;
/** Counts in lists may be this old. A key that is shown by itself is looked up. */
const COUNTS_MAX_AGE_MS = 5 * SECOND_MS;

interface Parts extends CacheParts {
  readonly keys: KeyStore;
  readonly counters: FindCounters;
}

/** All keys, with their counters. */
export interface CountedKeys {
  readonly keys: ReadonlyMap<string, Key>;
  /** Undefined: counted in Redis, which does not answer. */
  readonly tallies: ReadonlyMap<string, Tally> | undefined;
  readonly banned: number;
}

/** One reading of all keys, which may still go on: callers that ask at once wait for the same one. */
interface Reading {
  readonly keys: Promise<readonly Key[]>;
  readonly revision: number;
  readonly asOfMs: number;
}

/** Caches all keys and their counters: with 10,000 keys, reading them takes longer than a request may. */
export class KnownKeys {
  /** All keys as they were a few seconds ago. */
  readonly counted: CachedValue<CountedKeys>;
  #reading: Reading | undefined;

  constructor(private readonly parts: Parts) {
    const { clock, onFailure } = parts;
    this.counted = new CachedValue({ clock, maxAgeMs: COUNTS_MAX_AGE_MS, find: () => this.#count(), onFailure });
  }

  /** All keys as they are now, but for their last use. */
  async list(): Promise<readonly Key[]> {
    const { keys, clock } = this.parts;
    // The revision is read first: a change while the keys are read shows in the next one.
    const revision = await keys.revision();
    const nowMs = clock.nowMs();
    const isCurrent = ({ revision: read, asOfMs }: Reading): boolean =>
      read === revision && Math.abs(nowMs - asOfMs) < KEYS_MAX_AGE_MS;
    if (this.#reading && isCurrent(this.#reading)) return this.#reading.keys;
    const reading = { keys: allOf(keys), revision, asOfMs: nowMs };
    this.#reading = reading;
    reading.keys.catch(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return reading.keys;
  }

  async #count(): Promise<CountedKeys> {
    const { clock } = this.parts;
    const keys = await this.list();
    await nextTurn();
    const tallies = await this.#readTallies(keys);
    const nowMs = clock.nowMs();
    const isBanned = (key: Key): boolean =>
      trueStateOf(key, banEndOf(key, tallies?.get(key.id), nowMs), nowMs) === "banned";
    return { keys: new Map(keys.map((key) => [key.id, key])), tallies, banned: keys.filter(isBanned).length };
  }

  async #readTallies(keys: readonly Key[]): Promise<ReadonlyMap<string, Tally> | undefined> {
    const countedFor = await this.parts.counters();
    if (countedFor.kind === "refused") return undefined;
    try {
      return await countedFor.value(keys.map(({ id }) => id));
    } catch (error) {
      // Redis does not answer: the overview says so.
      if (error instanceof OperatorError) return undefined;
      throw error;
    }
  }
}

/** A page of this size takes a few milliseconds to read. */
const KEYS_AT_ONCE = 500;

/** The oldest first, as a list of keys is. */
async function allOf(keys: KeyStore): Promise<readonly Key[]> {
  const all = await readAll(
    KEYS_AT_ONCE,
    (page) => keys.listSome(page),
    ({ id }) => id,
  );
  return all.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}
