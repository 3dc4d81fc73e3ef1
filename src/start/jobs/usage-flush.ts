import type { Clock } from "../../base/time/clock.ts";
import type { UsageSum } from "../../domain/usage/grains.ts";
import type { Store, UsageAddition } from "../../store/ports/store.ts";
import type { UsageCounter } from "../../telemetry/usage-counter.ts";

interface UsageFlushParts {
  readonly counter: Pick<UsageCounter, "take" | "takeUnattributed">;
  readonly store: Pick<Store, "isReadOnly"> & { readonly usage: Pick<Store["usage"], "add"> };
  readonly clock: Clock;
  readonly onUnattributed: (error: Error) => void;
  readonly batchSize?: number;
}

/** Sums in one transaction, of one or two milliseconds: other writes wait for it. */
const BATCH_SIZE = 50;

/**
 * Adds the usage that one thread has counted to the store. A failed addition is retried under the same number, so that
 * it is added once, even if the attempt that failed had been carried out.
 */
export class UsageFlush {
  readonly #source = crypto.randomUUID();
  #sequence = 0;
  #pending: UsageAddition[] = [];

  constructor(private readonly parts: UsageFlushParts) {}

  /** Must not be called again before it has returned. */
  async write(): Promise<void> {
    const { counter, store, onUnattributed } = this.parts;
    if (store.isReadOnly()) return;
    await this.#send();
    this.#pending = this.#additionsOf(counter.take());
    const unattributed = counter.takeUnattributed();
    if (unattributed > 0) onUnattributed(new Error(`${unattributed} requests, for which there was no room in memory`));
    await this.#send();
  }

  async #send(): Promise<void> {
    for (let next = this.#pending[0]; next; next = this.#pending[0]) {
      await this.parts.store.usage.add(next);
      this.#pending.shift();
    }
  }

  #additionsOf(sums: readonly UsageSum[]): UsageAddition[] {
    const { clock, batchSize = BATCH_SIZE } = this.parts;
    const additions: UsageAddition[] = [];
    for (let from = 0; from < sums.length; from += batchSize)
      additions.push({
        source: this.#source,
        sequence: ++this.#sequence,
        atMs: clock.nowMs(),
        sums: sums.slice(from, from + batchSize),
      });
    return additions;
  }
}
