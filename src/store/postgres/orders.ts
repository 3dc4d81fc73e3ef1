import type { AnimalStatus } from "../../domain/animal.ts";
import { animalStatusAfter, FIRST_ORDER_STATUS, type OrderStatus, PLACING } from "../../domain/order.ts";
import { cutPage } from "../../domain/page.ts";
import { type OrderListName, orderListing, orderLists } from "../lists.ts";
import { orderOf, type Row, SELECTED_ORDER } from "../rows.ts";
import type { MoveResult, OrderStore, PlaceResult } from "../store.ts";
import type { Pool, Sql, Transaction } from "./database.ts";
import { POSTGRES, runListing } from "./dialect.ts";
import type { WriteOnce } from "./once.ts";

export function postgresOrders(pool: Pool, writeOnce: WriteOnce): OrderStore {
  const lists = orderLists(POSTGRES);
  const columns = pool.sql.unsafe(SELECTED_ORDER);

  /** One statement takes the animal and places the order, so it needs no transaction around it. */
  const place = async (sql: Sql | Transaction, animalId: bigint, nowMs: number): Promise<PlaceResult> => {
    const [placed] = await sql<Row[]>`WITH taken AS (
        UPDATE animals SET status = ${PLACING.to} WHERE id = ${animalId} AND status = ${PLACING.from} RETURNING id
      ) INSERT INTO orders (animal_id, status, placed_at, updated_at) SELECT id, ${FIRST_ORDER_STATUS}, ${nowMs}::bigint, ${nowMs}::bigint FROM taken
      RETURNING ${columns}`;
    if (placed) return { kind: "placed", order: orderOf(placed) };
    const [animal] = await sql<{ status: AnimalStatus }[]>`SELECT status FROM animals WHERE id = ${animalId}`;
    return animal ? { kind: "not_available", status: animal.status } : { kind: "no_such_animal" };
  };

  const move = (id: bigint, to: OrderStatus, nowMs: number): Promise<MoveResult> =>
    pool.transact(async (tx): Promise<MoveResult> => {
      const [row] = await tx<Row[]>`SELECT ${columns} FROM orders WHERE id = ${id} FOR UPDATE`;
      if (!row) return { kind: "no_such_order" };
      const order = orderOf(row);
      const animalStatus = animalStatusAfter(order.status, to);
      if (animalStatus === undefined) return { kind: "forbidden", from: order.status };
      await tx`UPDATE orders SET status = ${to}, updated_at = ${nowMs} WHERE id = ${id}`;
      await tx`UPDATE animals SET status = ${animalStatus} WHERE id = ${order.animalId}`;
      return { kind: "moved", order: { ...order, status: to, updatedAtMs: nowMs } };
    });

  return {
    async list(query) {
      const rows = await runListing<OrderListName, Row>(pool, lists, orderListing(query));
      return cutPage(rows.map(orderOf), query.size);
    },
    place: (animalId, nowMs, once) =>
      writeOnce(
        once,
        (sql) => place(sql, animalId, nowMs),
        (result) => (result.kind === "placed" ? result.order.id : undefined),
      ),
    move,
  };
}
