import { MINUTE_MS } from "../../base/time/clock.ts";
import type { StatusCounts, Store } from "../../store/ports/store.ts";
import type { Count } from "../api/index.ts";
import { CachedValue, type CacheParts } from "./cached-value.ts";

/** Counting again waits this long, however much is written meanwhile. */
const MAX_AGE_MS = MINUTE_MS;

type CountedStore = Pick<Store, "counts" | "version">;

/** Caches how many animals and open orders there are. They are counted again only if something was written. */
export const stockCounts = ({ store, ...parts }: CacheParts & { readonly store: CountedStore }) =>
  new CachedValue({
    ...parts,
    maxAgeMs: MAX_AGE_MS,
    isUnchanged: ({ version }) => version !== undefined && store.version() === version,
    find: () => count(store, parts.clock.nowMs()),
  });

/** The numbers of animals and open orders by status; null: not known. */
async function count(store: CountedStore, asOfMs: number) {
  const { counts } = store;
  const before = store.version();
  const [animals, openOrders, bytes] = [await counts.animals(), await counts.openOrders(), await counts.bytes()];
  const isSame = store.version() === before;
  return {
    animals: countsOf(animals, isSame, asOfMs),
    openOrders: countsOf(openOrders, isSame, asOfMs),
    bytes,
    /** The version that was counted; undefined: the store changed meanwhile, or has none. */
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
