import { OPEN_ORDER_STATUSES, type OrderStatus } from "../../src/domain/stock/order.ts";
import type { AnimalView } from "./ledger.ts";

export const ORDERS = "/store/orders";

const ANIMAL_AFTER: Record<string, string> = { approved: "pending", delivered: "sold", cancelled: "available" };

type Existing = NonNullable<AnimalView>;

/** Whether an order holds it, so that its status follows that order. */
export const isHeld = ({ orders }: Existing): boolean => OPEN_ORDER_STATUSES.some((status) => status === orders.at(-1));

/** What an order makes of an animal. */
export const ordered = (view: Existing): Existing => ({
  ...view,
  status: "pending",
  orders: [...view.orders, "placed"],
});

/** What a move of its last order makes of it. */
export const moved = (view: Existing, to: OrderStatus): Existing => ({
  ...view,
  status: ANIMAL_AFTER[to] as string,
  orders: [...view.orders.slice(0, -1), to],
});

/** As every answer has it. */
export const petText = (id: bigint | undefined, { name, categoryId, status }: Existing): string =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;

/** Exact, as JSON.parse() would not be. */
export const idIn = (body: string): bigint => BigInt(/^\{"id":(-?\d+),/.exec(body)?.[1] ?? "0");
