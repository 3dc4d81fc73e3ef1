import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Page, Position } from "../../domain/page.ts";
import type { AnimalStatus } from "../../domain/stock/animal.ts";
import type { OpenOrderStatus } from "../../domain/stock/order.ts";

/** What the console counts. Counting may take a while, in short steps that block nobody. */
export interface CountStore {
  /** Counts animals by status. Returns undefined if they are too many and the database has no estimate yet. */
  animals(): Promise<StatusCounts<AnimalStatus> | undefined>;
  /** Counts open orders by status, likewise. */
  openOrders(): Promise<StatusCounts<OpenOrderStatus> | undefined>;
  /** Returns one page of the categories that have a name or animals, by ascending id. */
  usedCategories(query: UsedCategoryQuery): Awaitable<Page<UsedCategory>>;
  /** Returns how many animals each of the given categories has, but at most `most` of each. */
  animalsByCategory(wanted: CountedCategories): Awaitable<ReadonlyMap<bigint, number>>;
  /** Returns the size of the database on disk. */
  bytes(): Awaitable<number>;
}

export interface StatusCounts<Status extends string> {
  readonly counts: Readonly<Record<Status, number>>;
  /** The counts come from the database's statistics. */
  readonly isEstimate: boolean;
}

export interface UsedCategoryQuery {
  readonly after?: Position | undefined;
  readonly size: number;
}

export interface UsedCategory {
  readonly id: bigint;
  /** Null: it has animals, but no name. */
  readonly name: string | null;
}

export interface CountedCategories {
  readonly ids: readonly bigint[];
  readonly most: number;
}
