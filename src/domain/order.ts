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

/** An animal can be ordered in this status, and an open order keeps it in the other. */
export const STATUS_TO_ORDER: AnimalStatus = "available";
export const STATUS_WHILE_ORDERED: AnimalStatus = "pending";

/** Every move that an order can make, and the status that it leaves the animal in. */
const MOVES: Record<OrderStatus, Partial<Record<OrderStatus, AnimalStatus>>> = {
  placed: { approved: STATUS_WHILE_ORDERED, cancelled: "available" },
  approved: { delivered: "sold", cancelled: "available" },
  delivered: {},
  cancelled: {},
};

/** The status that a move leaves the animal in; undefined when the order cannot make it. */
export const animalStatusAfter = (from: OrderStatus, to: OrderStatus): AnimalStatus | undefined => MOVES[from][to];

/** Where an order can still go. */
export const movesFrom = (from: OrderStatus): readonly OrderStatus[] => Object.keys(MOVES[from]) as OrderStatus[];

/** An order is open while it can still move; an animal has one open order at the most. */
export const isOpen = (status: OrderStatus): boolean => movesFrom(status).length > 0;
