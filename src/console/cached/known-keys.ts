import { OperatorError } from "../../base/operator-error.ts";
import { type Clock, SECOND_MS } from "../../base/time/clock.ts";
import type { Key } from "../../domain/keys/key.ts";
import type { Tally } from "../../domain/limits/tally.ts";
import type { FindCounters } from "../../keys/queries/counters.ts";
import { banEndOf, trueStateOf } from "../../keys/queries/use.ts";
import type { KeyStore } from "../../store/ports/store.ts";
import { CachedValue } from "./cached-value.ts";

/** How old the last uses of keys may be in a list; all that people change is known at once, by the revision. */
const KEYS_STAY_MS = 10 * SECOND_MS;
/** How old counts may be in lists. A key that is shown by itself is looked up. */
const COUNTS_STAY_MS = 5 * SECOND_MS;

interface Parts {
  readonly keys: KeyStore;
  readonly counters: FindCounters;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

/** All keys, and what was counted for all of them. */
export interface CountedKeys {
  readonly keys: ReadonlyMap<string, Key>;
  /** Undefined: counted in Redis, which does not answer. */
  readonly tallies: ReadonlyMap<string, Tally> | undefined;
  readonly banned: number;
}

/** With 10,000 keys, to read all of them, and what was counted for them, takes longer than a request may. */
export class KnownKeys {
  readonly #counted: CachedValue<CountedKeys>;
  #known: { readonly keys: readonly Key[]; readonly revision: number; readonly asOfMs: number } | undefined;

  /** Those who ask at once wait for one reading. */
  #reading: { readonly keys: Promise<readonly Key[]>; readonly revision: number } | undefined;

  constructor(private readonly parts: Parts) {
    const { clock, onFailure } = parts;
    this.#counted = new CachedValue({ clock, staysMs: COUNTS_STAY_MS, find: () => this.#count(), onFailure });
  }

  /** As they are now, but for when they were last used. */
  async list(): Promise<readonly Key[]> {
    const { keys, clock } = this.parts;
    const revision = await keys.revision();
    const nowMs = clock.nowMs();
    const known = this.#known;
    if (known && known.revision === revision && Math.abs(nowMs - known.asOfMs) < KEYS_STAY_MS) return known.keys;
    // The revision was read first: what is changed meanwhile shows in the next one.
    if (this.#reading?.revision !== revision) this.#reading = { keys: this.#read(revision, nowMs), revision };
    return this.#reading.keys;
  }

  async #read(revision: number, asOfMs: number): Promise<readonly Key[]> {
    try {
      const keys = await allOf(this.parts.keys);
      this.#known = { keys, revision, asOfMs };
      return keys;
    } finally {
      if (this.#reading?.revision === revision) this.#reading = undefined;
    }
  }

  /** As they were a few seconds ago; undefined: not known yet. */
  async counted(waitMs?: number): Promise<CountedKeys | undefined> {
    return (await this.#counted.latest(waitMs))?.value;
  }

  settled(): Promise<void> {
    return this.#counted.settled();
  }

  async #count(): Promise<CountedKeys> {
    const { clock } = this.parts;
    const keys = await this.list();
    await new Promise(setImmediate);
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

/** So many take a few milliseconds to read. */
const KEYS_AT_ONCE = 500;

/** Oldest first, as a list of keys is; read so that requests get their turn in between. */
async function allOf(keys: KeyStore): Promise<readonly Key[]> {
  const all: Key[] = [];
  for (let afterId: string | undefined = ""; afterId !== undefined; ) {
    const some: readonly Key[] = await keys.listSome({ afterId, size: KEYS_AT_ONCE });
    all.push(...some);
    afterId = some.length < KEYS_AT_ONCE ? undefined : some.at(-1)?.id;
    if (afterId !== undefined) await new Promise(setImmediate);
  }
  return all.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}
