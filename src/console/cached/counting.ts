import { type Clock, MINUTE_MS } from "../../base/time/clock.ts";
import type { AnimalStatus } from "../../domain/stock/animal.ts";
import type { OpenOrderStatus } from "../../domain/stock/order.ts";
import type { StatusCounts, Store, Version } from "../../store/ports/store.ts";
import type { Count } from "../api/index.ts";
import { CachedValue } from "./cached-value.ts";

/** However much is written, nothing is counted more often than this. */
const STAYS_MS = MINUTE_MS;

interface Parts {
  readonly store: Pick<Store, "counts" | "version">;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

interface Counted {
  readonly animals: StatusCounts<AnimalStatus> | undefined;
  readonly openOrders: StatusCounts<OpenOrderStatus> | undefined;
  readonly bytes: number;
  /** Undefined: something was written while it was counted, or nobody can know. */
  readonly version: Version | undefined;
}

/** How many animals and open orders there are: counted beside requests, and again only if something was written. */
export class Counting {
  readonly #remembered: CachedValue<Counted>;
  #version: Version | undefined;

  constructor(private readonly parts: Parts) {
    const { clock, onFailure, store } = parts;
    this.#remembered = new CachedValue({
      clock,
      staysMs: STAYS_MS,
      isUnchanged: () => this.#version !== undefined && store.version() === this.#version,
      find: async () => {
        const counted = await this.#count();
        this.#version = counted.version;
        return counted;
      },
      onFailure,
    });
  }

  async latest(): Promise<{
    readonly animals: Readonly<Record<AnimalStatus, Count>> | null;
    readonly openOrders: Readonly<Record<OpenOrderStatus, Count>> | null;
    readonly bytes: number | null;
  }> {
    const known = await this.#remembered.latest();
    if (!known) return { animals: null, openOrders: null, bytes: null };
    const { animals, openOrders, bytes } = known.value;
    return { animals: countsOf(animals, known.asOfMs), openOrders: countsOf(openOrders, known.asOfMs), bytes };
  }

  settled(): Promise<void> {
    return this.#remembered.settled();
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
