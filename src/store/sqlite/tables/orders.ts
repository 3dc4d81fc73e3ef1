import { done, type Result, refused } from "../../../base/result.ts";
import { cutPage } from "../../../domain/page.ts";
import type { AnimalStatus } from "../../../domain/stock/animal.ts";
import { entryOfOrderUpdate } from "../../../domain/stock/changes.ts";
import {
  decideOrderUpdate,
  type NewOrder,
  type Order,
  type OrderUpdate,
  type OrderUpdateRefusal,
  PLACING,
  type PlacingRefusal,
  placedOrder,
  refusalToPlace,
} from "../../../domain/stock/order.ts";
import type { OrderStore } from "../../ports/store.ts";
import { type OrderListName, orderListing, orderLists } from "../../sql/lists.ts";
import { NEW_ORDER, newOrderValues, ORDERS, orderOf } from "../../sql/rows.ts";
import { insertInto, type Row, selectFrom } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared, preparedSet } from "../sql/statements.ts";
import { journalWrites } from "./journal.ts";
import { CHANGE, declareWrites, forward, type Writes } from "./write.ts";

export function sqliteOrders(connection: Connection, writes: Writes): OrderStore {
  const lists = preparedSet<OrderListName, Row>(connection, orderLists(SQLITE));
  const get = prepared<Row, [bigint]>(connection, `${selectFrom(ORDERS)} WHERE id = ?`);

  return {
    ...forward(writes, orderWrites),
    list(query) {
      const { name, parameters } = orderListing(query);
      return cutPage(attempt(() => lists[name]().all(...parameters)).map(orderOf), query.size);
    },
    get(id) {
      const row = attempt(() => get().get(id));
      return row ? orderOf(row) : undefined;
    },
  };
}

const KINDS = { place: CHANGE, update: CHANGE };

export const orderWrites = declareWrites("orders", KINDS, (db, withIdempotency) => {
  const journal = journalWrites(db);
  const animalStatus = prepared<{ status: AnimalStatus }, [bigint]>(db, "SELECT status FROM animals WHERE id = ?");
  const setAnimalStatus = prepared(db, "UPDATE animals SET status = ? WHERE id = ?");
  const getOrder = prepared<Row, [bigint]>(db, `${selectFrom(ORDERS)} WHERE id = ?`);
  const insertOrder = prepared(
    db,
    insertInto(ORDERS, NEW_ORDER, () => "?"),
  );
  const setOrderStatus = prepared(db, "UPDATE orders SET status = ?, updated_at = ? WHERE id = ?");

  function place(newOrder: NewOrder): Result<Order, PlacingRefusal> {
    const refusal = refusalToPlace(animalStatus().get(newOrder.animalId)?.status);
    if (refusal) return refused(refusal);
    const order = placedOrder(newOrder);
    setAnimalStatus().run(PLACING.to, order.animalId);
    const { lastInsertRowid } = insertOrder().run(...newOrderValues(order));
    return done({ id: BigInt(lastInsertRowid), ...order });
  }

  function update(wanted: OrderUpdate): Result<Order, OrderUpdateRefusal> {
    const row = getOrder().get(wanted.orderId);
    const before = row ? orderOf(row) : undefined;
    const decision = decideOrderUpdate(before, wanted);
    if (decision.kind === "refused") return decision;
    const { order, animalStatus } = decision.value;
    setOrderStatus().run(order.status, order.updatedAtMs, order.id);
    setAnimalStatus().run(animalStatus, order.animalId);
    journal.append(entryOfOrderUpdate(wanted, before, order));
    return done(order);
  }

  return {
    place: (order, idempotencyKey) => withIdempotency(idempotencyKey, () => place(order)),
    update: (wanted, idempotencyKey) => withIdempotency(idempotencyKey, () => update(wanted)),
  };
});
