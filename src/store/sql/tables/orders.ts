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
import { actorOf, type OrderRecord } from "../../../domain/stock/order-history.ts";
import type { OrderQuery } from "../../ports/store.ts";
import { orderListing, orderLists } from "../lists.ts";
import {
  appendedMove,
  MOVE_BEFORE_FROM,
  moveAfterFrom,
  orderOf,
  orderRecordOf,
  SELECT_ORDER,
  SELECT_ORDER_RECORD,
} from "../order-rows.ts";
import type { Dialect } from "../searches.ts";
import { first, run, type Work } from "../work.ts";
import { journalAppender } from "./journal.ts";

export function orderWork(dialect: Dialect) {
  const { placeholder: $, forUpdate } = dialect;
  const lists = lazy(() => orderLists(dialect));
  const append = journalAppender(dialect);
  const get = `${SELECT_ORDER} WHERE id = ${$(1)}`;
  const moved = appendedMove(`CAST(${$(3)} AS text)`);
  const move = `UPDATE orders SET status = ${$(1)}, updated_at = ${$(2)}, moves = ${moved} WHERE id = ${$(4)}`;
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
      *getRecord(id: bigint): Work<OrderRecord | undefined> {
        const row = yield* first(`${SELECT_ORDER_RECORD} WHERE id = ${$(1)}`, [id]);
        return row && orderRecordOf(row);
      },
    },
    changes: {
      *update(update: OrderUpdate): Work<Result<Order, OrderUpdateRefusal>> {
        const row = yield* first(`${get} ${forUpdate}`, [update.orderId]);
        const before = row && orderOf(row);
        const decision = decideOrderUpdate(before, update);
        if (decision.kind === "refused") return decision;
        const { order, animalStatus } = decision.value;
        const by = actorOf(update);
        const from = before?.status;
        const record = by && `${MOVE_BEFORE_FROM}${from}${moveAfterFrom(order.status, order.updatedAtMs, by)}`;
        yield* run(move, [order.status, order.updatedAtMs, record ?? null, order.id]);
        yield* run(`UPDATE animals SET status = ${$(1)} WHERE id = ${$(2)}`, [animalStatus, order.animalId]);
        yield* append(entryOnOrder("orders update", update, before, order));
        return done(order);
      },
    },
  };
}
