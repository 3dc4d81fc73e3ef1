import type { Awaitable } from "../../base/time/awaitable.ts";
import type { IdempotencyKey, IdempotentResult } from "../../domain/idempotency.ts";
import type { IdOrder, Page, Position } from "../../domain/page.ts";
import type {
  NewOrder,
  Order,
  OrderStatus,
  OrderUpdate,
  OrderUpdateRefusal,
  PlacingRefusal,
} from "../../domain/stock/order.ts";
import type { OrderRecord } from "../../domain/stock/order-history.ts";

export interface OrderStore {
  /** Returns one page of the orders that match. */
  list(query: OrderQuery): Awaitable<Page<Order>>;
  /** Returns an order by id, or undefined if there is none. */
  get(id: bigint): Awaitable<Order | undefined>;
  /** Returns an order by id with who placed and moved it, which is for people alone; undefined if there is none. */
  getRecord(id: bigint): Awaitable<OrderRecord | undefined>;
  /**
   * Places an order and makes its animal pending. Refuses if there is no such animal or if it is not available: of
   * several orders for one animal, exactly one is placed.
   */
  place(order: NewOrder, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Order, PlacingRefusal>>;
  /**
   * Moves an order to another status, and its animal with it: delivered makes it sold, cancelled makes it available.
   * Refuses if there is no such order, if the precondition fails, or if the order cannot move to that status.
   */
  update(update: OrderUpdate, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Order, OrderUpdateRefusal>>;
}

/** One page of a list: `size` orders after a position. A filter that is undefined filters nothing. */
export interface OrderQuery {
  readonly status?: OrderStatus | undefined;
  readonly animalId?: bigint | undefined;
  /** The client's own reference, alone or with a status. */
  readonly reference?: string | undefined;
  readonly sort?: IdOrder | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}
