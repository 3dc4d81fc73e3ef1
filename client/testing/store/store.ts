import type { Store } from "../../../src/store/ports/store.ts";
import { animalStore } from "./animals.ts";
import { categoryStore } from "./categories.ts";
import { orderStore } from "./orders.ts";
import type { Once } from "./saved-responses.ts";
import type { Tables } from "./tables.ts";

/** The ports of the store in memory. As SQLite's do, they only keep and find: what is allowed, the domain decides. */
export function createStore(once: Once): Pick<Store, "animals" | "categories" | "orders"> {
  const tables: Tables = { animals: new Map(), categories: new Map(), orders: new Map() };
  return {
    animals: animalStore(tables, once),
    categories: categoryStore(tables, once),
    orders: orderStore(tables, once),
  };
}
