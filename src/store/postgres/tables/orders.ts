import { done } from "../../../base/result.ts";
import type { IdempotencyKey } from "../../../domain/idempotency.ts";
import type { AnimalStatus } from "../../../domain/stock/animal.ts";
import {
  type NewOrder,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
  PLACING,
  type PlacingRefusal,
  placedOrder,
  refusalToPlace,
  transitionsTo,
} from "../../../domain/stock/order.ts";
import { actorOf } from "../../../domain/stock/order-history.ts";
import type { OrderStore } from "../../ports/store.ts";
import {
  appendedMove,
  MOVE_BEFORE_FROM,
  moveAfterFrom,
  NEW_ORDER,
  newOrderValues,
  ORDER_COLUMNS,
  orderOf,
} from "../../sql/order-rows.ts";
import { SAVED_RESPONSES, savedResponseValues } from "../../sql/rows.ts";
import { CONTENT_BEFORE_ID, contentAfterId } from "../../sql/saved-content.ts";
import type { Row, SqlValue } from "../../sql/table.ts";
import { orderWork } from "../../sql/tables/orders.ts";
import { POSTGRES } from "../connections/dialect.ts";
import { isTaken } from "../connections/sql-state.ts";
import { reading } from "../connections/work.ts";
import type { Pool } from "../database.ts";
import { carryOut, transactingOnce, type Write } from "./idempotency.ts";

const placeholders = (count: number, after: number): string =>
  Array.from({ length: count }, (_, i) => POSTGRES.placeholder(after + i + 1)).join(", ");

/** Reserves the animal and places the order. */
const placing = (condition: string): string => `
  taken AS (UPDATE animals SET status = $1 WHERE id = $2 AND status = $3 ${condition} RETURNING id),
  placed AS (INSERT INTO orders (${NEW_ORDER.join(", ")}) SELECT ${placeholders(NEW_ORDER.length, 3)}
    FROM taken RETURNING id)`;

export const PLACE = `WITH ${placing("")} SELECT id FROM placed`;

const KEY_ID = 3 + NEW_ORDER.length + 1;

/** Does so once per idempotency key: if a copy of the request is faster, the primary key of saved_responses refuses. */
export const PLACE_ONCE = `WITH ${placing(`AND NOT EXISTS
    (SELECT FROM saved_responses WHERE key_id = $${KEY_ID} AND idempotency_key = $${KEY_ID + 1})`)},
  saved AS (INSERT INTO saved_responses (${SAVED_RESPONSES.columns.join(", ")})
    SELECT $${KEY_ID}, $${KEY_ID + 1}, $${KEY_ID + 2}, $${KEY_ID + 3}, '${CONTENT_BEFORE_ID}' || id || $${KEY_ID + 4}
    FROM placed)
  SELECT id FROM placed`;

const GET_STATUS = "SELECT status FROM animals WHERE id = $1";

/**
 * Makes a move if it is one that the rule allows, and the clock was not set back; the moves are the rule's own. What
 * it does not make is left to the rule. The order is locked before the animal, as everywhere.
 */
const moveTo = (to: OrderStatus): string | undefined => {
  const allowed = transitionsTo(to).map(({ from, animalStatus }) => `('${from}', '${animalStatus}')`);
  if (allowed.length === 0) return undefined;
  const columns = ORDER_COLUMNS.map((column) => `orders.${column}`).join(", ");
  return `WITH moved AS (
      UPDATE orders SET status = '${to}', updated_at = $2,
        moves = ${appendedMove(`'${MOVE_BEFORE_FROM}' || from_status || CAST($3 AS text)`)}
      FROM (VALUES ${allowed.join(", ")}) AS allowed (from_status, animal_status)
      WHERE orders.id = $1 AND orders.status = from_status AND updated_at <= $2 RETURNING ${columns}, animal_status),
    followed AS (UPDATE animals SET status = animal_status FROM moved WHERE animals.id = animal_id)
    SELECT ${ORDER_COLUMNS.join(", ")} FROM moved`;
};

export const TRANSITIONS = Object.fromEntries(ORDER_STATUSES.map((to) => [to, moveTo(to)])) as Record<
  OrderStatus,
  string | undefined
>;

const { reads, changes } = orderWork(POSTGRES);

export function postgresOrders(pool: Pool): OrderStore {
  const updates = transactingOnce(pool, changes);
  return {
    ...reading(pool, reads),
    place: (order, key) => carryOut(pool, placingOf(pool, order, key), key),
    async update(update, key) {
      const statement = key || update.precondition || update.author ? undefined : TRANSITIONS[update.to];
      const by = actorOf(update);
      const record = by ? moveAfterFrom(update.to, update.nowMs, by) : null;
      const [row] = statement ? await pool.write<Row>(statement, [update.orderId, BigInt(update.nowMs), record]) : [];
      return row ? done(orderOf(row)) : updates.update(update, key);
    },
  };
}

function placingOf(pool: Pool, newOrder: NewOrder, key: IdempotencyKey | undefined): Write<Order, PlacingRefusal> {
  const { animalId } = newOrder;
  const order = placedOrder(newOrder);
  const values: SqlValue[] = [PLACING.to, animalId, PLACING.from, ...newOrderValues(order, newOrder)];
  if (key) values.push(...savedResponseValues(key, contentAfterId(order)));
  return {
    async attempt() {
      try {
        const [placed] = await pool.write<{ id: bigint }>(key ? PLACE_ONCE : PLACE, values);
        return placed && { id: placed.id, ...order };
      } catch (error) {
        if (isTaken(error, SAVED_RESPONSES.name)) return undefined;
        throw error;
      }
    },
    async findRefusal() {
      const [animal] = await pool.read<{ status: AnimalStatus }>(GET_STATUS, [animalId]);
      return refusalToPlace(animal?.status);
    },
  };
}
