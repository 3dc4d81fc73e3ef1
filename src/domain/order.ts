import type { AnimalStatus } from "./animal.ts";

export const ORDER_STATUSES = ["placed", "approved", "delivered", "cancelled"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The sale of one animal. */
export interface Order {
  readonly id: bigint;
  readonly animalId: bigint;
  readonly status: OrderStatus;
  readonly placedAtMs: number;
  readonly updatedAtMs: number;
}

export const isOrderStatus = (text: string): text is OrderStatus =>
  (ORDER_STATUSES as readonly string[]).includes(text);

/** An order begins in this status; it takes an animal that is `from`, which is `to` while the order is open. */
export const FIRST_ORDER_STATUS: OrderStatus = "placed";
export const PLACING: { readonly from: AnimalStatus; readonly to: AnimalStatus } = { from: "available", to: "pending" };

/** An order as it is placed: all of it, but for the id. */
export const newOrder = (animalId: bigint, nowMs: number): Omit<Order, "id"> => ({
  animalId,
  status: FIRST_ORDER_STATUS,
  placedAtMs: nowMs,
  updatedAtMs: nowMs,
});

/** Every move that an order can make, and the status that it leaves the animal in. */
const MOVES: Record<OrderStatus, Partial<Record<OrderStatus, AnimalStatus>>> = {
  placed: { approved: PLACING.to, cancelled: PLACING.from },
  approved: { delivered: "sold", cancelled: PLACING.from },
  delivered: {},
  cancelled: {},
};

/** The status that a move leaves the animal in; undefined when the order cannot make it. */
export const animalStatusAfter = (from: OrderStatus, to: OrderStatus): AnimalStatus | undefined => MOVES[from][to];

/** Where an order can still go. */
export const movesFrom = (from: OrderStatus): readonly OrderStatus[] => Object.keys(MOVES[from]) as OrderStatus[];
