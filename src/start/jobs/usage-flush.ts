import type { Clock } from "../../base/time/clock.ts";
import type { UsageSum } from "../../domain/usage/grains.ts";
import type { KeptRequest } from "../../domain/usage/kept-request.ts";
import type { Store, UsageAddition } from "../../store/ports/store.ts";
import type { RequestKeeper } from "../../telemetry/request-keeper.ts";
import type { UsageCounter } from "../../telemetry/usage-counter.ts";

interface UsageFlushParts {
  readonly counter: Pick<UsageCounter, "take" | "takeUnattributed">;
  /** Undefined: no requests are kept. */
  readonly keeper?: Pick<RequestKeeper, "take"> | undefined;
  readonly store: Pick<Store, "isReadOnly"> & { readonly usage: Pick<Store["usage"], "add"> };
  readonly clock: Clock;
  readonly onUnattributed: (error: Error) => void;
  readonly batchSize?: number;
}

/** Sums in one transaction, of one or two milliseconds: other writes wait for it. */
const BATCH_SIZE = 50;
/** Kept requests in one transaction, for the same reason: few have more, so they seldom need one of their own. */
const REQUESTS_BATCH_SIZE = 100;

/**
 * Adds the usage that one thread has counted, and the requests that it keeps, to the store. A failed addition is
 * retried under the same number, so that it is added once, even if the attempt that failed had been carried out.
 */
export class UsageFlush {
  readonly #source = crypto.randomUUID();
  #sequence = 0;
  #pending: UsageAddition[] = [];

  constructor(private readonly parts: UsageFlushParts) {}

  /** Must not be called again before it has returned. */
  async write(): Promise<void> {
    const { counter, keeper, store, onUnattributed } = this.parts;
    if (store.isReadOnly()) return;
    await this.#send();
    this.#pending = this.#additionsOf(counter.take(), keeper?.take() ?? []);
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

  #additionsOf(sums: readonly UsageSum[], requests: readonly KeptRequest[]): UsageAddition[] {
    const { clock, batchSize = BATCH_SIZE } = this.parts;
    const [sumBatches, requestBatches] = [batches(sums, batchSize), batches(requests, REQUESTS_BATCH_SIZE)];
    const count = Math.max(sumBatches.length, requestBatches.length);
    return Array.from({ length: count }, (_, i) => ({
      source: this.#source,
      sequence: ++this.#sequence,
      atMs: clock.nowMs(),
      sums: sumBatches[i] ?? [],
      requests: requestBatches[i] ?? [],
    }));
  }
}

const batches = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
