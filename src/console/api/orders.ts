import type { Author } from "../../domain/journal.ts";
import type { Order, OrderStatus } from "../../domain/stock/order.ts";
import type { PageView } from "./common.ts";

export interface OrderView extends Pick<Order, "status" | "placedAtMs" | "updatedAtMs"> {
  readonly id: string;
  readonly petId: string;
  readonly animalName: string | null;
  readonly reference: string | null;
}

/**
 * GET /console/api/orders?status=&petId=&search=&sort=&cursor= : the newest first by default. A search finds an
 * order's id and its whole reference, and its animal's id and the beginning of its name. PATCH …/orders/{id} {status}:
 * OrderView.
 */
export interface OrderListView extends PageView<OrderView> {
  /** True: the names of more animals begin with the text that was searched for, and their orders are not in the list. */
  readonly hasMoreAnimals: boolean;
}

/** The author of an order's move: a key, or a person under the journal's name. */
export type OrderActorView =
  /** A name that is null: the key was deleted. An id that is null: this role sees a key's name and nothing else. */
  | { readonly kind: "key"; readonly id: string | null; readonly name: string | null }
  | ({ readonly kind: "person" } & Author);

/** A status that the order has had. What is null was not recorded. */
export interface OrderStepView {
  readonly status: OrderStatus;
  readonly atMs: number | null;
  readonly by: OrderActorView | null;
}

/** GET /console/api/orders/{id} */
export interface OrderDetailView extends OrderView {
  /** The oldest first: it begins with the placing. */
  readonly steps: readonly OrderStepView[];
}
