import type { Awaitable } from "../base/time/awaitable.ts";
import { sharedRuns } from "../base/time/shared-runs.ts";
import { digestOf, isPlausibleSecret, type Key, type KeySecret, problemWith } from "../domain/keys/key.ts";
import { type RatePolicy, ratePolicyOfKey } from "../domain/limits/tally.ts";
import { type CountedKey, newCountedKey } from "../domain/usage/usage.ts";
import type { FoundKey, KeyStore } from "../store/ports/store.ts";

/** A key as the gate needs it, with everything computed that does not depend on the time. */
export interface KnownKey {
  readonly key: Key;
  readonly secret: KeySecret;
  readonly policy: RatePolicy;
  /** True: it is valid, and does not expire. */
  readonly neverExpires: boolean;
  /** Set by noteUse(); takeUsed() resets it. */
  isUsed: boolean;
  /** Its place in the usage counter. */
  readonly counted: CountedKey;
}

export const knownKey = ({ key, secret }: FoundKey): KnownKey => ({
  key,
  secret,
  policy: ratePolicyOfKey(key.quotas, key.unbannedAtMs),
  neverExpires: problemWith(key, secret, Number.POSITIVE_INFINITY) === undefined,
  isUsed: false,
  counted: newCountedKey(key.id),
});

const MAX_KEYS = 10_000;
/** The pause between queries for unknown secrets of callers who may be guessing: each looks up all that have come since. */
const GUESSES_PAUSE_MS = 100;

/** The Authorization header in the spelling of most clients. */
const usualHeader = (secret: string): string => `Bearer ${secret}`;

/**
 * A cache of the keys in use, by the Authorization header with their secret. Only keys that exist are cached, so a new
 * one works at once; refresh() empties the cache if any key has changed, so a revocation takes effect with the next
 * refresh.
 */
export class Keyring {
  readonly #keys = new Map<string, KnownKey>();
  #revision: number | undefined;
  /** The ids of the keys that were used since the last takeUsed(). */
  #used = new Set<string>();
  /** The digests of secrets that the next query for guesses looks up. */
  #guessed = new Set<string>();
  readonly #findGuessed = sharedRuns(async () => {
    const digests = [...this.#guessed];
    this.#guessed.clear();
    return this.store.findBySecrets(digests);
  }, GUESSES_PAUSE_MS);

  /**
   * `readsAtOnce`: the store answers synchronously, so guesses do not wait for each other; Bun closes a connection on
   * which a request follows one that is answered later.
   */
  constructor(
    private readonly store: KeyStore,
    private readonly options: { readonly readsAtOnce?: boolean } = {},
  ) {}

  /** Returns the key of a header in the usual spelling, if it is cached. */
  recall(authorization: string): KnownKey | undefined {
    return this.#keys.get(authorization);
  }

  /** `isThrottled`: the caller may be guessing, and a look-up must cost next to nothing. Asked only if there is one. */
  find(secret: string, isThrottled: () => boolean): Awaitable<KnownKey | undefined> {
    const cached = this.#keys.get(usualHeader(secret));
    if (cached || !isPlausibleSecret(secret)) return cached;
    return this.options.readsAtOnce || !isThrottled()
      ? this.#lookUp(secret, (digest) => this.store.findBySecret(digest))
      : this.#lookUp(secret, (digest) => this.#findWithOthers(digest));
  }

  /** Returns whether any key has changed since the last call. */
  async refresh(): Promise<boolean> {
    const revision = await this.store.revision();
    const hasChanged = revision !== this.#revision;
    if (hasChanged) this.#keys.clear();
    this.#revision = revision;
    return hasChanged;
  }

  /** Notes that a request of the key was admitted. Only the first one since takeUsed() needs to. */
  noteUse(known: KnownKey): void {
    known.isUsed = true;
    this.#used.add(known.key.id);
  }

  /** Returns the ids of the keys that were used since the last call. */
  takeUsed(): ReadonlySet<string> {
    const used = this.#used;
    this.#used = new Set();
    for (const known of this.#keys.values()) known.isUsed = false;
    return used;
  }

  /** A valid key that is among guesses is found a moment later, not refused. */
  async #findWithOthers(digest: string): Promise<FoundKey | undefined> {
    this.#guessed.add(digest);
    return (await this.#findGuessed()).get(digest);
  }

  async #lookUp(
    secret: string,
    find: (digest: string) => Awaitable<FoundKey | undefined>,
  ): Promise<KnownKey | undefined> {
    const revision = this.#revision;
    const found = await find(digestOf(secret));
    if (!found) return undefined;
    const known = knownKey(found);
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
    if (revision === this.#revision) this.#keys.set(usualHeader(secret), known);
    return known;
  }
}
