import { type Clock, MINUTE_MS } from "../../base/time/clock.ts";
import type { AnimalStatus } from "../../domain/stock/animal.ts";
import type { OpenOrderStatus } from "../../domain/stock/order.ts";
import type { StatusCounts, Store, Version } from "../../store/ports/store.ts";
import type { Count } from "../api/index.ts";
import { CachedValue } from "./cached-value.ts";

/** Counting again waits this long, however much is written meanwhile. */
const MAX_AGE_MS = MINUTE_MS;

interface Parts {
  readonly store: Pick<Store, "counts" | "version">;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

interface Counted {
  readonly animals: StatusCounts<AnimalStatus> | undefined;
  readonly openOrders: StatusCounts<OpenOrderStatus> | undefined;
  readonly bytes: number;
  /** The version of the store that was counted; undefined: it changed meanwhile, or the store has none. */
  readonly version: Version | undefined;
}

/** How many animals and open orders there are. They are counted again only if something was written. */
export class Counting {
  readonly #cache: CachedValue<Counted>;

  constructor(private readonly parts: Parts) {
    const { clock, onFailure, store } = parts;
    this.#cache = new CachedValue({
      clock,
      maxAgeMs: MAX_AGE_MS,
      isUnchanged: ({ version }) => version !== undefined && store.version() === version,
      find: () => this.#count(),
      onFailure,
    });
  }

  async latest(): Promise<{
    readonly animals: Readonly<Record<AnimalStatus, Count>> | null;
    readonly openOrders: Readonly<Record<OpenOrderStatus, Count>> | null;
    readonly bytes: number | null;
  }> {
    const counted = await this.#cache.latest();
    if (!counted) return { animals: null, openOrders: null, bytes: null };
    const { animals, openOrders, bytes } = counted.value;
    return { animals: countsOf(animals, counted.asOfMs), openOrders: countsOf(openOrders, counted.asOfMs), bytes };
  }

  settled(): Promise<void> {
    return this.#cache.settled();
  }

  async #count(): Promise<Counted> {
    const { store } = this.parts;
    const before = store.version();
    const [animals, openOrders, bytes] = [
      await store.counts.animals(),
      await store.counts.openOrders(),
      await store.counts.bytes(),
    ];
    const isSame = store.version() === before;
    const about = <Counts extends { readonly isEstimate: boolean }>(counts: Counts | undefined) =>
      counts && { ...counts, isEstimate: counts.isEstimate || !isSame };
    return { animals: about(animals), openOrders: about(openOrders), bytes, version: isSame ? before : undefined };
  }
}

function countsOf<Status extends string>(
  counted: StatusCounts<Status> | undefined,
  asOfMs: number,
): Record<Status, Count> | null {
  if (!counted) return null;
  const { isEstimate } = counted;
  const entries = Object.entries<number>(counted.counts).map(([status, value]) => [
    status,
    { value, isEstimate, asOfMs } satisfies Count,
  ]);
  return Object.fromEntries(entries) as Record<Status, Count>;
}
