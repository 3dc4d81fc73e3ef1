import type { Awaitable } from "../domain/awaitable.ts";
import { digestOf, isPlausibleSecret, type Key, type KeySecret, objectionTo } from "../domain/key.ts";
import { type Terms, termsOfKey } from "../domain/tally.ts";
import type { KeyStore } from "../store/store.ts";

/** A key as the gate needs it, with everything worked out that does not depend on the moment. */
export interface RingEntry {
  readonly key: Key;
  readonly secret: KeySecret;
  readonly terms: Terms;
  /** No objection to it will come with time. */
  readonly isForGood: boolean;
}

const MAX_ENTRIES = 10_000;
/** The Authorization header as most clients write it. */
const usualHeader = (secret: string): string => `Bearer ${secret}`;

/**
 * The keys that were used lately, by the usual header with their secret. Only found keys are
 * remembered, so a new one works at once; refresh() forgets all when any key changed, so a revocation
 * is felt with the next refresh.
 */
export class Keyring {
  readonly #entries = new Map<string, RingEntry>();
  #revision: number | undefined;

  constructor(private readonly store: KeyStore) {}

  /** The key that a usual header stands for, if it was used lately. */
  recall(authorization: string): RingEntry | undefined {
    return this.#entries.get(authorization);
  }

  find(secret: string): Awaitable<RingEntry | undefined> {
    return this.#entries.get(usualHeader(secret)) ?? (isPlausibleSecret(secret) ? this.#lookUp(secret) : undefined);
  }

  async refresh(): Promise<void> {
    const revision = await this.store.revision();
    if (revision !== this.#revision) this.#entries.clear();
    this.#revision = revision;
  }

  async #lookUp(secret: string): Promise<RingEntry | undefined> {
    const revision = this.#revision;
    const found = await this.store.findBySecret(digestOf(secret));
    if (!found) return undefined;
    const { key } = found;
    const entry = {
      ...found,
      terms: termsOfKey(key.quotas, key.pardonedAtMs),
      isForGood: objectionTo(key, found.secret, Number.POSITIVE_INFINITY) === undefined,
    };
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    if (revision === this.#revision) this.#entries.set(usualHeader(secret), entry);
    return entry;
  }
}
