import type { Order } from "../../domain/stock/order.ts";
import type { PageView } from "./common.ts";

export interface OrderView extends Pick<Order, "status" | "placedAtMs" | "updatedAtMs"> {
  readonly id: string;
  readonly petId: string;
  readonly animalName: string | null;
  readonly reference: string | null;
}

/** GET /console/api/orders?status=&petId=&cursor= : the newest first. PATCH …/orders/{id} {status}: OrderView. */
export type OrderListView = PageView<OrderView>;
