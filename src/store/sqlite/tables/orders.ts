import { cutPage } from "../../../domain/page.ts";
import type { OrderStore } from "../../ports/store.ts";
import { type OrderListName, orderListing, orderLists } from "../../sql/lists.ts";
import { ORDERS, orderOf } from "../../sql/rows.ts";
import { type Row, selectFrom } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared, preparedSet } from "../sql/statements.ts";
import type { Writes } from "./writer.ts";

export function sqliteOrders(connection: Connection, writes: Writes): OrderStore {
  const lists = preparedSet<OrderListName, Row>(connection, orderLists(SQLITE));
  const get = prepared<Row, [bigint]>(connection, `${selectFrom(ORDERS)} WHERE id = ?`);

  return {
    list(query) {
      const { name, parameters } = orderListing(query);
      return cutPage(attempt(() => lists[name]().all(...parameters)).map(orderOf), query.size);
    },
    get(id) {
      const row = attempt(() => get().get(id));
      return row ? orderOf(row) : undefined;
    },
    place: (order, idempotencyKey) => writes.perform("placeOrder", order, idempotencyKey),
    update: (update, idempotencyKey) => writes.perform("updateOrder", update, idempotencyKey),
  };
}
