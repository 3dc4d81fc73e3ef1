import type { Awaitable } from "../../base/time/awaitable.ts";
import type { AnimalStatus } from "../../domain/stock/animal.ts";
import type { OpenOrderStatus } from "../../domain/stock/order.ts";

/** Sizes for the console's overview. Counting may take a while, in short steps that block nobody. */
export interface CountStore {
  /** Counts animals by status. Returns undefined if they are too many and the database has no estimate yet. */
  animals(): Promise<StatusCounts<AnimalStatus> | undefined>;
  /** Counts open orders by status, likewise. */
  openOrders(): Promise<StatusCounts<OpenOrderStatus> | undefined>;
  /** Returns the size of the database on disk. */
  bytes(): Awaitable<number>;
}

export interface StatusCounts<Status extends string> {
  readonly counts: Readonly<Record<Status, number>>;
  /** The counts come from the database's statistics. */
  readonly isEstimate: boolean;
}
