import { done, type Result, refused } from "../../base/result.ts";
import type { Authored } from "../journal.ts";
import { type Conditional, isMet, type PreconditionFailed, tagOfValues } from "../tag.ts";
import type { AnimalStatus } from "./animal.ts";

export const ORDER_STATUSES = ["placed", "approved", "delivered", "cancelled"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The status of an order that can still change. */
export type OpenOrderStatus = "placed" | "approved";

/** The sale of one animal. */
export interface Order {
  readonly id: bigint;
  readonly animalId: bigint;
  readonly status: OrderStatus;
  readonly placedAtMs: number;
  readonly updatedAtMs: number;
  /** The client's own name for the order. */
  readonly reference?: string | undefined;
}

export const REFERENCE_MAX_CODE_POINTS = 100;

/** The animal of a new order must be `from`, and is `to` for as long as the order is open. */
export const PLACING: { readonly from: AnimalStatus; readonly to: AnimalStatus } = { from: "available", to: "pending" };

/** Every transition of an order, with the status that it gives the animal. */
const TRANSITIONS: Record<OrderStatus, Partial<Record<OrderStatus, AnimalStatus>>> = {
  placed: { approved: PLACING.to, cancelled: PLACING.from },
  approved: { delivered: "sold", cancelled: PLACING.from },
  delivered: {},
  cancelled: {},
};

/** The statuses that an order can change to. */
export const transitionsFrom = (from: OrderStatus): readonly OrderStatus[] =>
  Object.keys(TRANSITIONS[from]) as OrderStatus[];

/** The statuses of an order that is open. */
export const OPEN_ORDER_STATUSES = ORDER_STATUSES.filter(
  (status) => transitionsFrom(status).length > 0,
) as readonly OpenOrderStatus[];

/** The transitions that lead to a status: where each begins, and the status that it gives the animal. */
export const transitionsTo = (
  to: OrderStatus,
): readonly { readonly from: OrderStatus; readonly animalStatus: AnimalStatus }[] =>
  ORDER_STATUSES.flatMap((from) => {
    const animalStatus = TRANSITIONS[from][to];
    return animalStatus === undefined ? [] : [{ from, animalStatus }];
  });

/** A write to an order, with whoever makes it. If it names nobody, nothing is recorded, as by release 1.1.0. */
export interface Acted extends Authored {
  /** The key of a client of the API. */
  readonly keyId?: string | undefined;
}

/** An order to be placed for an animal. */
export interface NewOrder extends Pick<Acted, "keyId"> {
  readonly animalId: bigint;
  readonly reference?: string | undefined;
  readonly nowMs: number;
}

export type PlacingRefusal =
  | { readonly kind: "no_such_animal" }
  | { readonly kind: "not_available"; readonly status: AnimalStatus };

/** Returns why an animal cannot be ordered, or undefined if it can. */
export function refusalToPlace(animalStatus: AnimalStatus | undefined): PlacingRefusal | undefined {
  if (animalStatus === undefined) return { kind: "no_such_animal" };
  return animalStatus === PLACING.from ? undefined : { kind: "not_available", status: animalStatus };
}

/** A new order, without the id that the store assigns. */
export const placedOrder = ({ animalId, reference, nowMs }: NewOrder): Omit<Order, "id"> => ({
  animalId,
  status: "placed",
  placedAtMs: nowMs,
  updatedAtMs: nowMs,
  ...(reference === undefined ? {} : { reference }),
});

export const orderTag = ({ id, animalId, status, placedAtMs, updatedAtMs, reference }: Order): string =>
  tagOfValues("order", id, animalId, status, placedAtMs, updatedAtMs, reference);

/** A request to change the status of an order. */
export interface OrderUpdate extends Acted, Conditional {
  readonly orderId: bigint;
  readonly to: OrderStatus;
  readonly nowMs: number;
}

export type OrderUpdateRefusal =
  | PreconditionFailed
  | { readonly kind: "no_such_order" }
  | { readonly kind: "invalid_transition"; readonly from: OrderStatus; readonly to: OrderStatus };

/** The order and its animal's status after an update, or why the update is refused. */
export function decideOrderUpdate(
  order: Order | undefined,
  { to, nowMs, precondition }: OrderUpdate,
): Result<{ readonly order: Order; readonly animalStatus: AnimalStatus }, OrderUpdateRefusal> {
  if (!order) return refused({ kind: "no_such_order" });
  if (!isMet(precondition, () => orderTag(order))) return refused({ kind: "precondition_failed" });
  const animalStatus = TRANSITIONS[order.status][to];
  if (animalStatus === undefined) return refused({ kind: "invalid_transition", from: order.status, to });
  // A clock that was set back must not move the time of the last update back.
  const updatedAtMs = Math.max(nowMs, order.updatedAtMs);
  return done({ order: { ...order, status: to, updatedAtMs }, animalStatus });
}
