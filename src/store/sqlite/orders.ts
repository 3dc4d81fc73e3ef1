import type { Database } from "bun:sqlite";
import type { AnimalStatus } from "../../domain/animal.ts";
import { INT64_MIN } from "../../domain/int64.ts";
import {
  animalStatusAfter,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  STATUS_TO_ORDER,
  STATUS_WHILE_ORDERED,
} from "../../domain/order.ts";
import { cutPage } from "../../domain/page.ts";
import type { MoveResult, OrderStore, PlaceResult } from "../store.ts";
import { attempt, type Row, type Transact } from "./database.ts";
import { pageOf, pageOfAnyStatus } from "./lists.ts";
import type { WriteOnce } from "./once.ts";

const COLUMNS = "id, animal_id, status, placed_at, updated_at";

export function sqliteOrders(db: Database, transact: Transact, writeOnce: WriteOnce): OrderStore {
  const all = db.prepare<Row, [bigint, number]>(pageOf(COLUMNS, "orders"));
  const byStatus = db.prepare<Row, [string, bigint, number]>(pageOf(COLUMNS, "orders", "status = ?"));
  const byAnimal = db.prepare<Row, [bigint, bigint, number]>(
    pageOfAnyStatus(COLUMNS, "orders", "animal_id", ORDER_STATUSES),
  );
  const byBoth = db.prepare<Row, [bigint, string, bigint, number]>(
    pageOf(COLUMNS, "orders", "animal_id = ?", "status = ?"),
  );
  const get = db.prepare<Row, [bigint]>(`SELECT ${COLUMNS} FROM orders WHERE id = ?`);
  const insert = db.prepare("INSERT INTO orders (animal_id, status, placed_at, updated_at) VALUES (?, ?, ?, ?)");
  const update = db.prepare("UPDATE orders SET status = ?, updated_at = ? WHERE id = ?");
  const animalStatus = db.prepare<{ status: AnimalStatus }, [bigint]>("SELECT status FROM animals WHERE id = ?");
  const setAnimalStatus = db.prepare("UPDATE animals SET status = ? WHERE id = ?");

  const place = (animalId: bigint, nowMs: number): PlaceResult => {
    const animal = animalStatus.get(animalId);
    if (!animal) return { kind: "no_such_animal" };
    if (animal.status !== STATUS_TO_ORDER) return { kind: "not_available", status: animal.status };
    setAnimalStatus.run(STATUS_WHILE_ORDERED, animalId);
    const status: OrderStatus = "placed";
    const { lastInsertRowid } = insert.run(animalId, status, nowMs, nowMs);
    const order = { id: BigInt(lastInsertRowid), animalId, status, placedAtMs: nowMs, updatedAtMs: nowMs };
    return { kind: "placed", order };
  };

  const move = (id: bigint, to: OrderStatus, nowMs: number): MoveResult => {
    const row = get.get(id);
    if (!row) return { kind: "no_such_order" };
    const order = orderOf(row);
    const animalStatus = animalStatusAfter(order.status, to);
    if (animalStatus === undefined) return { kind: "forbidden", from: order.status };
    update.run(to, nowMs, id);
    setAnimalStatus.run(animalStatus, order.animalId);
    return { kind: "moved", order: { ...order, status: to, updatedAtMs: nowMs } };
  };

  return {
    list({ status, animalId, afterId = INT64_MIN, size }) {
      const rows = attempt(() => {
        if (animalId === undefined)
          return status === undefined ? all.all(afterId, size + 1) : byStatus.all(status, afterId, size + 1);
        return status === undefined
          ? byAnimal.all(animalId, afterId, size + 1)
          : byBoth.all(animalId, status, afterId, size + 1);
      });
      return cutPage(rows.map(orderOf), size);
    },
    place: (animalId, nowMs, once, answerTo) => writeOnce(once, () => place(animalId, nowMs), answerTo),
    move: (id, to, nowMs) => transact(() => move(id, to, nowMs)),
  };
}

const orderOf = (row: Row): Order => ({
  id: row.id as bigint,
  animalId: row.animal_id as bigint,
  status: row.status as OrderStatus,
  placedAtMs: Number(row.placed_at),
  updatedAtMs: Number(row.updated_at),
});
