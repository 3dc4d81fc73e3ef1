import { done, type Result, refused } from "../../../base/result.ts";
import type { AnimalStatus } from "../../../domain/stock/animal.ts";
import {
  type NewOrder,
  type Order,
  PLACING,
  type PlacingRefusal,
  placedOrder,
  refusalToPlace,
} from "../../../domain/stock/order.ts";
import { NEW_ORDER, newOrderValues, ORDERS } from "../../sql/order-rows.ts";
import { insertInto } from "../../sql/table.ts";
import { orderWork } from "../../sql/tables/orders.ts";
import { first, run, type Work } from "../../sql/work.ts";
import { SQLITE } from "../sql/dialect.ts";
import { lastInsertedId } from "../sql/work.ts";
import { CHANGE, declareWrites, tableStore } from "./write.ts";

const { reads, changes } = orderWork(SQLITE);
const INSERT = insertInto(ORDERS, NEW_ORDER, SQLITE.placeholder);

export const orderWrites = declareWrites("orders", CHANGE, {
  ...changes,
  *place(newOrder: NewOrder): Work<Result<Order, PlacingRefusal>> {
    const { animalId } = newOrder;
    const animal = yield* first<{ status: AnimalStatus }>("SELECT status FROM animals WHERE id = ?", [animalId]);
    const refusal = refusalToPlace(animal?.status);
    if (refusal) return refused(refusal);
    const order = placedOrder(newOrder);
    yield* run("UPDATE animals SET status = ? WHERE id = ?", [PLACING.to, animalId]);
    yield* run(INSERT, newOrderValues(order, newOrder));
    return done({ id: yield* lastInsertedId(), ...order });
  },
});

export const sqliteOrders = tableStore(reads, orderWrites);
