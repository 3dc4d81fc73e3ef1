import { OPEN_ORDER_STATUSES, type OrderStatus } from "../../src/domain/stock/order.ts";
import type { AnimalView } from "../ledger/ledger.ts";

export const ORDERS = "/store/orders";

const ANIMAL_AFTER: Record<string, string> = { approved: "pending", delivered: "sold", cancelled: "available" };

type Existing = NonNullable<AnimalView>;

/** True while an open order holds the animal, so that its status follows the order. */
export const isHeld = ({ orders }: Existing): boolean => OPEN_ORDER_STATUSES.some((status) => status === orders.at(-1));

/** The animal after it was ordered. */
export const ordered = (view: Existing): Existing => ({
  ...view,
  status: "pending",
  orders: [...view.orders, "placed"],
});

/** The animal after its last order has moved to a status. */
export const moved = (view: Existing, to: OrderStatus): Existing => ({
  ...view,
  status: ANIMAL_AFTER[to] as string,
  orders: [...view.orders.slice(0, -1), to],
});

/** The animal's JSON, as every response has it. */
export const petText = (id: bigint | undefined, { name, categoryId, status }: Existing): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;

/** Reads the id exactly, which JSON.parse() would round. */
export const idIn = (body: string): bigint => BigInt(/^\{"id":(-?\d+),/.exec(body)?.[1] ?? "0");
