import { MINUTE_MS } from "../../base/time/clock.ts";
import type { AnimalStatus } from "../../domain/stock/animal.ts";
import type { OpenOrderStatus } from "../../domain/stock/order.ts";
import type { StatusCounts, Store, Version } from "../../store/ports/store.ts";
import type { Count } from "../api/index.ts";
import { CachedValue, type CacheParts } from "./cached-value.ts";

/** Counting again waits this long, however much is written meanwhile. */
const MAX_AGE_MS = MINUTE_MS;

type CountedStore = Pick<Store, "counts" | "version">;

/** The numbers of animals and open orders by status; null: not known. */
interface StockCounts {
  readonly animals: Readonly<Record<AnimalStatus, Count>> | null;
  readonly openOrders: Readonly<Record<OpenOrderStatus, Count>> | null;
  readonly bytes: number;
  /** The version of the store that was counted; undefined: it changed meanwhile, or the store has none. */
  readonly version: Version | undefined;
}

/** Caches how many animals and open orders there are. They are counted again only if something was written. */
export const stockCounts = ({ store, ...parts }: CacheParts & { readonly store: CountedStore }) =>
  new CachedValue<StockCounts>({
    ...parts,
    maxAgeMs: MAX_AGE_MS,
    isUnchanged: ({ version }) => version !== undefined && store.version() === version,
    find: () => count(store, parts.clock.nowMs()),
  });

async function count(store: CountedStore, asOfMs: number): Promise<StockCounts> {
  const { counts } = store;
  const before = store.version();
  const [animals, openOrders, bytes] = [await counts.animals(), await counts.openOrders(), await counts.bytes()];
  const isSame = store.version() === before;
  return {
    animals: countsOf(animals, isSame, asOfMs),
    openOrders: countsOf(openOrders, isSame, asOfMs),
    bytes,
    version: isSame ? before : undefined,
  };
}

function countsOf<Status extends string>(
  counted: StatusCounts<Status> | undefined,
  isExact: boolean,
  asOfMs: number,
): Record<Status, Count> | null {
  if (!counted) return null;
  const isEstimate = counted.isEstimate || !isExact;
  const entries = Object.entries<number>(counted.counts).map(([status, value]) => [
    status,
    { value, isEstimate, asOfMs } satisfies Count,
  ]);
  return Object.fromEntries(entries) as Record<Status, Count>;
}
