import type { Author } from "../../domain/journal.ts";
import type { NewOrder, Order, OrderStatus } from "../../domain/stock/order.ts";
import type { OrderActor, OrderMove, OrderRecord } from "../../domain/stock/order-history.ts";
import { type ColumnOf, type Row, type SqlValue, selectFrom, type Table } from "./table.ts";

// The table of orders and the mapping of its rows. rows.ts lists it with the others.

type NewOrderRow = Omit<Order, "id">;

const NEW_ORDER_COLUMNS: ColumnOf<Required<NewOrderRow>> = {
  animalId: "animal_id",
  status: "status",
  placedAtMs: "placed_at",
  updatedAtMs: "updated_at",
  reference: "reference",
};

/** The columns of what clients see, which is all that lists read. */
const ORDER: Table = { name: "orders", columns: ["id", ...Object.values(NEW_ORDER_COLUMNS)], key: ["id"] };

/** The columns of a new row; the database assigns the id. */
export const NEW_ORDER: readonly string[] = [...Object.values(NEW_ORDER_COLUMNS), "placed_by"];

export const ORDERS: Table = { name: "orders", columns: ["id", ...NEW_ORDER, "moves"], key: ["id"] };

export const ORDER_COLUMNS = ORDER.columns;
export const SELECT_ORDER = selectFrom(ORDER);
export const SELECT_ORDER_RECORD = selectFrom(ORDERS);

const NEW_ORDER_FIELDS = Object.keys(NEW_ORDER_COLUMNS) as (keyof NewOrderRow)[];

/** The values of a new order, in the order of NEW_ORDER. Integers are bigints, which imply the type of the column. */
export const newOrderValues = (order: NewOrderRow, { keyId }: Pick<NewOrder, "keyId">): SqlValue[] => [
  ...NEW_ORDER_FIELDS.map((field) => {
    const value = order[field];
    return typeof value === "number" ? BigInt(value) : (value ?? null);
  }),
  keyId ?? null,
];

export const orderOf = (row: Row): Order => ({
  id: row.id as bigint,
  animalId: row.animal_id as bigint,
  status: row.status as OrderStatus,
  placedAtMs: Number(row.placed_at),
  updatedAtMs: Number(row.updated_at),
  ...(row.reference ? { reference: row.reference as string } : {}),
});

export const orderRecordOf = (row: Row): OrderRecord => ({
  order: orderOf(row),
  placedBy: (row.placed_by as string | null) ?? undefined,
  moves: movesOf(row),
});

/** The recorded moves of a row. Throws if they cannot be read. */
export const movesOf = ({ moves }: Row): readonly OrderMove[] =>
  (JSON.parse(`[${moves ?? ""}]`) as RecordedMove[]).map(({ from, to, at, ...by }) => ({
    from,
    to,
    atMs: at,
    by: "key" in by ? { keyId: by.key } : by,
  }));

/** A move as it is written. */
type RecordedMove = {
  readonly from: OrderStatus;
  readonly to: OrderStatus;
  readonly at: number;
} & ({ readonly key: string } | Author);

// A statement that finds out the status that it moves from writes that between two texts.

export const MOVE_BEFORE_FROM = '{"from":"';

/** The text of a move after the status that it begins at. */
export function moveAfterFrom(to: OrderStatus, atMs: number, by: OrderActor): string {
  const actor = "keyId" in by ? { key: by.keyId } : { by: by.by, via: by.via, role: by.role };
  return `",${JSON.stringify({ to, at: atMs, ...actor }).slice(1)}`;
}

/** The expression that appends a text to the recorded moves; a text that is null changes nothing. */
export const appendedMove = (text: string): string => `coalesce(coalesce(moves || ',', '') || ${text}, moves)`;
