import type { AnimalStatus } from "../../domain/animal.ts";
import {
  decideMove,
  type NewOrder,
  type Order,
  PLACING,
  type PlacingRefusal,
  placedOrder,
  refusalToPlace,
} from "../../domain/order.ts";
import { cutPage } from "../../domain/page.ts";
import { done, type Result, refused } from "../../domain/result.ts";
import { type OrderListName, orderListing, orderLists } from "../lists.ts";
import { NEW_ORDER, newOrderValues, ORDERS, orderOf, type Row, selectFrom } from "../rows.ts";
import { type OrderStore, StoreUnavailable } from "../store.ts";
import type { Pool, Sql, Transaction } from "./database.ts";
import { POSTGRES, run, runListing } from "./dialect.ts";
import type { WithIdempotency } from "./idempotency.ts";

const GET_AND_LOCK = `${selectFrom(ORDERS)} WHERE id = $1 FOR UPDATE`;

/** One statement takes the animal and places the order. */
const PLACE = `WITH taken AS (UPDATE animals SET status = $1 WHERE id = $2 AND status = $3 RETURNING id)
  INSERT INTO orders (${NEW_ORDER.join(", ")}) SELECT ${NEW_ORDER.map((_, i) => POSTGRES.placeholder(i + 4)).join(", ")}
  FROM taken RETURNING id`;

const MAX_ATTEMPTS = 10;

export function postgresOrders(pool: Pool, withIdempotency: WithIdempotency): OrderStore {
  const lists = orderLists(POSTGRES);

  return {
    async list(query) {
      const rows = await runListing<OrderListName, Row>(pool, lists, orderListing(query));
      return cutPage(rows.map(orderOf), query.size);
    },
    place: (order, idempotencyKey) =>
      withIdempotency(idempotencyKey, (sql) => place(sql, order), { isOneStatement: true }),
    move: (move) =>
      pool.transact(async (tx) => {
        const [row] = await run<Row>(tx, GET_AND_LOCK, [move.orderId]);
        const decision = decideMove(row && orderOf(row), move);
        if (decision.kind === "refused") return decision;
        const { order, animalStatus } = decision.value;
        await tx`UPDATE orders SET status = ${order.status}, updated_at = ${order.updatedAtMs} WHERE id = ${order.id}`;
        await tx`UPDATE animals SET status = ${animalStatus} WHERE id = ${order.animalId}`;
        return done(order);
      }),
  };
}

async function place(sql: Sql | Transaction, newOrder: NewOrder): Promise<Result<Order, PlacingRefusal>> {
  const { animalId } = newOrder;
  const order = placedOrder(newOrder);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const [placed] = await run<{ id: bigint }>(sql, PLACE, [
      PLACING.to,
      animalId,
      PLACING.from,
      ...newOrderValues(order),
    ]);
    if (placed) return done({ id: placed.id, ...order });
    const [animal] = await sql<{ status: AnimalStatus }[]>`SELECT status FROM animals WHERE id = ${animalId}`;
    const refusal = refusalToPlace(animal?.status);
    if (refusal) return refused(refusal);
    // Another order was cancelled between the two statements: the animal can be ordered now.
  }
  throw new StoreUnavailable(`animal ${animalId} is being ordered and released all the time`);
}
