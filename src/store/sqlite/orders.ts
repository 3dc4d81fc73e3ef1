import type { Database } from "bun:sqlite";
import { cutPage } from "../../domain/page.ts";
import { type OrderListName, orderListing, orderLists } from "../lists.ts";
import { orderOf, type Row } from "../rows.ts";
import type { OrderStore } from "../store.ts";
import { attempt } from "./database.ts";
import { SQLITE } from "./dialect.ts";
import type { RepeatOf } from "./once.ts";
import { preparedSet } from "./statements.ts";
import type { Writing } from "./writing.ts";

export function sqliteOrders(db: Database, repeatOf: RepeatOf, writing: Writing): OrderStore {
  const lists = preparedSet<OrderListName, Row>(db, orderLists(SQLITE));

  return {
    list(query) {
      const { name, parameters } = orderListing(query);
      return cutPage(attempt(() => lists[name]().all(...parameters)).map(orderOf), query.size);
    },
    place: async (animalId, nowMs, once) => repeatOf(once) ?? writing.perform("placeOrder", animalId, nowMs, once),
    move: (id, to, nowMs) => writing.perform("moveOrder", id, to, nowMs),
  };
}
