import type { Animal } from "../../../src/domain/stock/animal.ts";
import type { Category } from "../../../src/domain/stock/category.ts";
import type { Order } from "../../../src/domain/stock/order.ts";

/** All that a test store keeps. Rows are replaced, never changed. */
export interface Tables {
  readonly animals: Map<bigint, Animal>;
  readonly categories: Map<bigint, Category>;
  readonly orders: Map<bigint, Order>;
}
