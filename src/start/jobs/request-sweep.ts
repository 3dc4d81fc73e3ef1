import { DAY_MS } from "../../base/time/clock.ts";
import { KEPT_IN_ALL } from "../../domain/usage/kept-request.ts";
import type { KeptPosition, Store } from "../../store/ports/store.ts";

interface RequestSweepParts {
  readonly store: Pick<Store, "usage" | "maintenance">;
  /** 0: none are kept. */
  readonly keptDays: number;
  readonly keptInAll?: number;
  readonly sliceSize?: number;
}

/** Requests that are counted at a time, in two milliseconds. */
const SLICE_SIZE = 20_000;

/** Deletes kept requests that are too old, and the oldest of too many. Each step is short, as others wait for it. */
export class RequestSweep {
  #counted = 0;
  #next: KeptPosition | undefined;
  #excess = 0;

  constructor(private readonly parts: RequestSweepParts) {}

  /** `nowMs`: undefined while the time is in doubt. Resolves to whether there is more to do. */
  async step(nowMs: number | undefined): Promise<boolean> {
    const { store, keptDays } = this.parts;
    if (nowMs !== undefined) {
      const isMore = await store.maintenance.deleteRequestsBefore({ beforeMs: nowMs - keptDays * DAY_MS });
      if (isMore) return true;
    }
    return this.#excess > 0 ? this.#deleteExcess() : this.#count();
  }

  async #count(): Promise<boolean> {
    const { store, keptInAll = KEPT_IN_ALL, sliceSize = SLICE_SIZE } = this.parts;
    const { count, next } = await store.usage.countKept({ after: this.#next, size: sliceSize });
    this.#counted += count;
    this.#next = next;
    if (next) return true;
    this.#excess = Math.max(0, this.#counted - keptInAll);
    this.#counted = 0;
    return this.#excess > 0;
  }

  async #deleteExcess(): Promise<boolean> {
    const deleted = await this.parts.store.maintenance.deleteOldestRequests({ count: this.#excess });
    // Others, who sweep too, may have deleted the rest.
    this.#excess = deleted === 0 ? 0 : this.#excess - deleted;
    return this.#excess > 0;
  }
}
