import type { CallOptions, ConditionalReadOptions, ConditionalWriteOptions, WriteOptions } from "../options.ts";
import { type Int64Input, int64, type OrderId } from "../wire/int64.ts";
import type { ListOrdersQuery, Order, OrderPlacement, OrderUpdate } from "../wire/types.ts";
import type { Call } from "./call.ts";
import type { ListCall, Page } from "./page.ts";
import type { Path, Requests } from "./requests.ts";

const one =
  (id: Int64Input<OrderId>): Path =>
  () =>
    `/store/orders/${int64(id, "orderId")}`;

/**
 * The sales of animals: `store.orders`.
 *
 * @example
 * const sell = (orders: Orders, { id }: Pet) => orders.place({ petId: id });
 */
export class Orders {
  readonly #requests: Requests;

  /** @internal */
  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** The first page, or undefined if it is still what `ifNoneMatch` names. */
  list(filter: ListOrdersQuery, options: ConditionalReadOptions): Call<Page<Order> | undefined>;
  /**
   * The orders that match a filter: awaited, the first page; iterated over, all of them.
   *
   * @example
   * for await (const order of store.orders.list({ status: "placed" })) await store.orders.approve(order.id);
   */
  list(filter?: ListOrdersQuery, options?: CallOptions): ListCall<Order>;
  list(filter?: ListOrdersQuery, options?: Partial<ConditionalReadOptions>): ListCall<Order> {
    return this.#requests.list("listOrders", "/store/orders", filter, options);
  }

  /**
   * Orders an available animal, which is then pending.
   *
   * @example
   * const order = await store.orders.place({ petId: rex.id, reference: "INV-2026-0042" });
   */
  place(order: OrderPlacement, options?: WriteOptions): Call<Order> {
    return this.#requests.call("placeOrder", "POST", () => "/store/orders", order, options);
  }

  /** The order, or undefined if it is still what `ifNoneMatch` names. */
  get(id: Int64Input<OrderId>, options: ConditionalReadOptions): Call<Order | undefined>;
  /**
   * One order.
   *
   * @example
   * const { status } = await store.orders.get(order.id);
   */
  get(id: Int64Input<OrderId>, options?: CallOptions): Call<Order>;
  get(id: Int64Input<OrderId>, options?: Partial<ConditionalReadOptions>): Call<Order> {
    return this.#requests.call("getOrder", "GET", one(id), undefined, options);
  }

  /**
   * Changes the status of an order: `approve`, `deliver` and `cancel` are short for this.
   *
   * @example
   * await store.orders.update(order.id, { status: "approved" });
   */
  update(id: Int64Input<OrderId>, update: OrderUpdate, options?: ConditionalWriteOptions): Call<Order> {
    return this.#requests.call("updateOrder", "PATCH", one(id), update, options);
  }

  /**
   * Approves an order that was placed.
   *
   * @example
   * await store.orders.approve(order.id);
   */
  approve(id: Int64Input<OrderId>, options?: ConditionalWriteOptions): Call<Order> {
    return this.update(id, { status: "approved" }, options);
  }

  /**
   * Delivers an order that was approved: its animal is then sold.
   *
   * @example
   * await store.orders.deliver(order.id);
   */
  deliver(id: Int64Input<OrderId>, options?: ConditionalWriteOptions): Call<Order> {
    return this.update(id, { status: "delivered" }, options);
  }

  /**
   * Cancels an order that was not delivered: its animal is available again.
   *
   * @example
   * await store.orders.cancel(order.id);
   */
  cancel(id: Int64Input<OrderId>, options?: ConditionalWriteOptions): Call<Order> {
    return this.update(id, { status: "cancelled" }, options);
  }
}
