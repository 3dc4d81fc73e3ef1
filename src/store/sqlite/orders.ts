import { cutPage } from "../../domain/page.ts";
import { type OrderListName, orderListing, orderLists } from "../lists.ts";
import { orderOf, type Row } from "../rows.ts";
import type { OrderStore } from "../store.ts";
import { attempt } from "./attempt.ts";
import { SQLITE } from "./dialect.ts";
import { type Connection, preparedSet } from "./statements.ts";
import type { Writes } from "./writer.ts";

export function sqliteOrders(connection: Connection, writes: Writes): OrderStore {
  const lists = preparedSet<OrderListName, Row>(connection, orderLists(SQLITE));

  return {
    list(query) {
      const { name, parameters } = orderListing(query);
      return cutPage(attempt(() => lists[name]().all(...parameters)).map(orderOf), query.size);
    },
    place: (order, idempotencyKey) => writes.perform("placeOrder", order, idempotencyKey),
    move: (move) => writes.perform("moveOrder", move),
  };
}
