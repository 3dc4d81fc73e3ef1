import { digestOf, isPlausibleSecret, type Key, type KeySecret } from "../domain/key.ts";
import { type Terms, termsOfKey } from "../domain/tally.ts";
import type { KeyStore } from "../store/store.ts";

/** A key as the gate needs it, with everything worked out that does not depend on the moment. */
export interface RingEntry {
  readonly key: Key;
  readonly secret: KeySecret;
  readonly terms: Terms;
}

const MAX_ENTRIES = 10_000;

/**
 * The keys that were used lately, by secret. Only found keys are remembered, so a new one works at
 * once; refresh() forgets all when any key changed, so a revocation is felt with the next refresh.
 */
export class Keyring {
  readonly #entries = new Map<string, RingEntry>();
  #revision: number | undefined;

  constructor(private readonly store: KeyStore) {}

  find(secret: string): RingEntry | undefined | Promise<RingEntry | undefined> {
    return this.#entries.get(secret) ?? (isPlausibleSecret(secret) ? this.#lookUp(secret) : undefined);
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
    const entry = { ...found, terms: termsOfKey(found.key.quotas, found.key.pardonedAtMs) };
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    if (revision === this.#revision) this.#entries.set(secret, entry);
    return entry;
  }
}
