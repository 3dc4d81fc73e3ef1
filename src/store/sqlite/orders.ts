import type { Database } from "bun:sqlite";
import type { AnimalStatus } from "../../domain/animal.ts";
import { animalStatusAfter, FIRST_ORDER_STATUS, type OrderStatus, PLACING } from "../../domain/order.ts";
import { cutPage } from "../../domain/page.ts";
import { type OrderListName, orderListing, orderLists } from "../lists.ts";
import { orderOf, type Row, SELECTED_ORDER } from "../rows.ts";
import type { MoveResult, OrderStore, PlaceResult } from "../store.ts";
import { attempt, type Transact } from "./database.ts";
import { prepareAll, SQLITE } from "./dialect.ts";
import type { WriteOnce } from "./once.ts";

export function sqliteOrders(db: Database, transact: Transact, writeOnce: WriteOnce): OrderStore {
  const lists = prepareAll<OrderListName, Row>(db, orderLists(SQLITE));
  const get = db.prepare<Row, [bigint]>(`SELECT ${SELECTED_ORDER} FROM orders WHERE id = ?`);
  const insert = db.prepare("INSERT INTO orders (animal_id, status, placed_at, updated_at) VALUES (?, ?, ?, ?)");
  const update = db.prepare("UPDATE orders SET status = ?, updated_at = ? WHERE id = ?");
  const animalStatus = db.prepare<{ status: AnimalStatus }, [bigint]>("SELECT status FROM animals WHERE id = ?");
  const setAnimalStatus = db.prepare("UPDATE animals SET status = ? WHERE id = ?");

  const place = (animalId: bigint, nowMs: number): PlaceResult => {
    const animal = animalStatus.get(animalId);
    if (!animal) return { kind: "no_such_animal" };
    if (animal.status !== PLACING.from) return { kind: "not_available", status: animal.status };
    setAnimalStatus.run(PLACING.to, animalId);
    const status = FIRST_ORDER_STATUS;
    const { lastInsertRowid } = insert.run(animalId, status, nowMs, nowMs);
    const order = { id: BigInt(lastInsertRowid), animalId, status, placedAtMs: nowMs, updatedAtMs: nowMs };
    return { kind: "placed", order };
  };

  const move = (id: bigint, to: OrderStatus, nowMs: number): MoveResult => {
    const row = get.get(id);
    if (!row) return { kind: "no_such_order" };
    const order = orderOf(row);
    const animalBecomes = animalStatusAfter(order.status, to);
    if (animalBecomes === undefined) return { kind: "forbidden", from: order.status };
    update.run(to, nowMs, id);
    setAnimalStatus.run(animalBecomes, order.animalId);
    return { kind: "moved", order: { ...order, status: to, updatedAtMs: nowMs } };
  };

  return {
    list(query) {
      const { name, parameters } = orderListing(query);
      return cutPage(attempt(() => lists[name].all(...parameters)).map(orderOf), query.size);
    },
    place: (animalId, nowMs, once, answerTo) => writeOnce(once, () => place(animalId, nowMs), answerTo),
    move: (id, to, nowMs) => transact(() => move(id, to, nowMs)),
  };
}
