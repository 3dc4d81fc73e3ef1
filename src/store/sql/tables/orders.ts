import { lazy } from "../../../base/lazy.ts";
import { done, type Result } from "../../../base/result.ts";
import { cutPage, type Page } from "../../../domain/page.ts";
import { entryOnOrder } from "../../../domain/stock/changes.ts";
import {
  decideOrderUpdate,
  type Order,
  type OrderUpdate,
  type OrderUpdateRefusal,
} from "../../../domain/stock/order.ts";
import type { OrderQuery } from "../../ports/store.ts";
import { orderListing, orderLists } from "../lists.ts";
import { ORDERS, orderOf } from "../rows.ts";
import type { Dialect } from "../searches.ts";
import { selectFrom } from "../table.ts";
import { first, run, type Work } from "../work.ts";
import { journalAppender } from "./journal.ts";

export function orderWork(dialect: Dialect) {
  const { placeholder: $, forUpdate } = dialect;
  const lists = lazy(() => orderLists(dialect));
  const append = journalAppender(dialect);
  const get = `${selectFrom(ORDERS)} WHERE id = ${$(1)}`;
  return {
    reads: {
      *list(query: OrderQuery): Work<Page<Order>> {
        const { name, parameters } = orderListing(query);
        return cutPage((yield* run(lists()[name], parameters)).map(orderOf), query.size);
      },
      *get(id: bigint): Work<Order | undefined> {
        const row = yield* first(get, [id]);
        return row && orderOf(row);
      },
    },
    changes: {
      *update(update: OrderUpdate): Work<Result<Order, OrderUpdateRefusal>> {
        const row = yield* first(`${get} ${forUpdate}`, [update.orderId]);
        const before = row && orderOf(row);
        const decision = decideOrderUpdate(before, update);
        if (decision.kind === "refused") return decision;
        const { order, animalStatus } = decision.value;
        const moveOrder = `UPDATE orders SET status = ${$(1)}, updated_at = ${$(2)} WHERE id = ${$(3)}`;
        yield* run(moveOrder, [order.status, order.updatedAtMs, order.id]);
        yield* run(`UPDATE animals SET status = ${$(1)} WHERE id = ${$(2)}`, [animalStatus, order.animalId]);
        yield* append(entryOnOrder("orders update", update, before, order));
        return done(order);
      },
    },
  };
}
