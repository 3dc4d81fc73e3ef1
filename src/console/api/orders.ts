import type { OrderStatus } from "../../domain/stock/order.ts";
import type { PageView } from "./common.ts";

export interface OrderView {
  readonly id: string;
  readonly petId: string;
  readonly animalName: string | null;
  readonly status: OrderStatus;
  readonly reference: string | null;
  readonly placedAtMs: number;
  readonly updatedAtMs: number;
}

/** GET /console/api/orders?status=&petId=&cursor= : the newest first. PATCH …/orders/{id} {status}: OrderView. */
export type OrderListView = PageView<OrderView>;
