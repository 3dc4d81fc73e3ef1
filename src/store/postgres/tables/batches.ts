import { done, type Result, refused } from "../../../base/result.ts";
import type { Awaitable } from "../../../base/time/awaitable.ts";
import { atEndOfTurn } from "../../../base/time/turn.ts";
import { StoreUnavailable } from "../../ports/store.ts";

export interface BatchOptions<Item, Value> {
  /** Does the work of one batch. Returns values in the order of the items. */
  readonly run: (items: readonly Item[]) => Promise<readonly Awaitable<Value>[]>;
  readonly maxSize: number;
  /** While this many batches are in progress, new items are gathered for the next one. */
  readonly maxInProgress: number;
}

interface Pending<Item, Value> {
  readonly item: Item;
  readonly addedMs: number;
  readonly resolve: (value: Awaitable<Value>) => void;
  readonly reject: (error: unknown) => void;
}

/** Beyond this many, load is shed. */
const MAX_WAITING = 10_000;
/** If a batch takes longer than this, the next one does not wait for it: the pool copes with a slow database. */
const PATIENCE_MS = 100;
/** An item that has waited longer is refused unsent: with the pool's own deadline, a client would wait too long. */
const MAX_WAIT_MS = 1_000;
const SETTLE_BATCH_SIZE = 16;

/**
 * Has what arrives in one turn of the event loop handled together. The work begins after all of a batch has
 * arrived, and at the end of the turn unless too many batches are in progress.
 */
export class Batches<Item, Value> {
  #waiting: Pending<Item, Value>[] = [];
  #inProgress = 0;
  #late = 0;
  #isScheduled = false;

  constructor(private readonly options: BatchOptions<Item, Value>) {}

  add(item: Item): Promise<Value> {
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(new StoreUnavailable("too many requests are waiting for the database"));
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    this.#waiting.push({ item, addedMs: performance.now(), resolve, reject });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled || !this.#mayBegin) return;
    this.#isScheduled = true;
    atEndOfTurn(this.#begin);
  }

  get #mayBegin(): boolean {
    return this.#inProgress < this.options.maxInProgress || this.#late > 0;
  }

  readonly #begin = (): void => {
    this.#isScheduled = false;
    this.#giveUpOverdue();
    while (this.#waiting.length > 0 && this.#mayBegin) void this.#run(this.#waiting.splice(0, this.options.maxSize));
  };

  /** Runs whenever a batch begins, which the patience with the one before makes often enough. */
  #giveUpOverdue(): void {
    const limitMs = performance.now() - MAX_WAIT_MS;
    const first = this.#waiting.findIndex(({ addedMs }) => addedMs >= limitMs);
    for (const { reject } of this.#waiting.splice(0, first < 0 ? this.#waiting.length : first))
      reject(new StoreUnavailable("waited too long for the database"));
  }

  async #run(batch: readonly Pending<Item, Value>[]): Promise<void> {
    this.#inProgress++;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#late++;
      this.#begin();
    }, PATIENCE_MS);
    const outcome = await this.options.run(batch.map(({ item }) => item)).then(done, refused);
    clearTimeout(timer);
    this.#inProgress--;
    if (isLate) this.#late--;
    // The next batch is sent before the outcomes of this one are handled.
    this.#begin();
    if (outcome.kind === "done") handOver(batch, outcome.value);
    settle(batch, outcome, 0);
  }
}

/** Promises are returned at once: one that is rejected before anybody handles it would end the process. */
function handOver<Item, Value>(batch: readonly Pending<Item, Value>[], values: readonly Awaitable<Value>[]): void {
  for (let i = 0; i < batch.length; i++) {
    const value = values[i];
    if (value instanceof Promise) batch[i]?.resolve(value);
  }
}

/** Settles some in each turn of the event loop, so that other requests are served in between. */
function settle<Item, Value>(
  batch: readonly Pending<Item, Value>[],
  outcome: Result<readonly Awaitable<Value>[], unknown>,
  from: number,
): void {
  const to = from + SETTLE_BATCH_SIZE;
  if (to < batch.length) setImmediate(() => settle(batch, outcome, to));
  for (let i = from; i < Math.min(to, batch.length); i++) {
    const { resolve, reject } = batch[i] as Pending<Item, Value>;
    if (outcome.kind === "done") resolve(outcome.value[i] as Awaitable<Value>);
    else reject(outcome.reason);
  }
}
