import { type Clock, MINUTE_MS } from "../base/time/clock.ts";
import type { KeyStore } from "../store/ports/store.ts";
import type { Keyring } from "./keyring.ts";

export interface LastUseParts {
  readonly keyring: Pick<Keyring, "takeUsed">;
  readonly keys: Pick<KeyStore, "noteUse">;
  readonly isReadOnly: () => boolean;
  /** Must be steady: a clock that is ahead for a moment would record a use in the future. */
  readonly clock: Clock;
}

/** Records in the background when keys were last used: to the minute, and each at most once a minute. */
export class LastUse {
  readonly #unwritten = new Map<string, number>();
  readonly #written = new Set<string>();
  #minuteMs = 0;

  constructor(private readonly parts: LastUseParts) {}

  /** Must not be called again before it has returned. A failed write is retried by the next call. */
  async write(): Promise<void> {
    const { keyring, keys, isReadOnly, clock } = this.parts;
    const nowMs = clock.nowMs();
    const minuteMs = nowMs - (nowMs % MINUTE_MS);
    if (minuteMs !== this.#minuteMs) this.#written.clear();
    this.#minuteMs = minuteMs;
    for (const keyId of keyring.takeUsed()) if (!this.#written.has(keyId)) this.#unwritten.set(keyId, minuteMs);
    if (this.#unwritten.size === 0 || isReadOnly()) return;
    await keys.noteUse([...this.#unwritten].map(([keyId, atMs]) => ({ keyId, atMs })));
    for (const [keyId, atMs] of this.#unwritten) if (atMs === minuteMs) this.#written.add(keyId);
    this.#unwritten.clear();
  }
}
