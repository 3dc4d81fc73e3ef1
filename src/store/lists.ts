import { ANIMAL_STATUSES } from "../domain/animal.ts";
import { INT64_MIN } from "../domain/int64.ts";
import { ORDER_STATUSES } from "../domain/order.ts";
import { SELECTED_ORDER } from "./rows.ts";
import type { AnimalQuery, OrderQuery } from "./store.ts";

// The lists of both databases: the same statements, but for how a parameter is marked.

/** Where SQL differs. */
export interface Dialect {
  /**
   * Whether a search names all columns of its index in the order. PostgreSQL would otherwise rather
   * walk along the primary key and throw away what does not match, be it a million rows.
   */
  readonly ordersByIndex: boolean;
  /** The n-th parameter. */
  readonly mark: (n: number) => string;
  /** The condition that the id is one of the n-th parameter, and how that parameter is written. */
  readonly idIsOneOf: (mark: string) => string;
  readonly idList: (ids: readonly bigint[]) => string;
}

export type Parameter = bigint | string | number | null;

/** Which statement answers a query, and with which parameters. */
export interface Listing<Name extends string> {
  readonly name: Name;
  readonly parameters: Parameter[];
}

export const ANIMAL_COLUMNS = 'id, name, category_id AS "categoryId", status';

export type AnimalListName = "all" | "byStatus" | "byCategory" | "byCategoryAndStatus" | "byIds";

export const animalLists = (dialect: Dialect): Record<AnimalListName, string> => ({
  all: pageOf(ANIMAL_COLUMNS, "animals", [], dialect),
  byStatus: pageOf(ANIMAL_COLUMNS, "animals", ["status"], dialect),
  byCategory: pageOfAnyStatus(ANIMAL_COLUMNS, "animals", "category_id", ANIMAL_STATUSES, dialect),
  byCategoryAndStatus: pageOf(ANIMAL_COLUMNS, "animals", ["category_id", "status"], dialect),
  byIds: byIds(dialect),
});

const byIds = ({ mark, idIsOneOf }: Dialect): string =>
  `SELECT ${ANIMAL_COLUMNS} FROM animals WHERE ${idIsOneOf(mark(1))}
    AND (CAST(${mark(2)} AS text) IS NULL OR status = ${mark(2)})
    AND (CAST(${mark(3)} AS bigint) IS NULL OR category_id = ${mark(3)})
    AND id > ${mark(4)} ORDER BY id LIMIT ${mark(5)}`;

/** Reads one row beyond the page, to know whether others follow. */
export function animalListing(query: AnimalQuery, { idList }: Dialect): Listing<AnimalListName> {
  const { ids, status, categoryId, afterId = INT64_MIN, size } = query;
  const page = [afterId, size + 1];
  if (ids) return { name: "byIds", parameters: [idList(ids), status ?? null, categoryId ?? null, ...page] };
  if (categoryId === undefined)
    return status === undefined
      ? { name: "all", parameters: page }
      : { name: "byStatus", parameters: [status, ...page] };
  return status === undefined
    ? { name: "byCategory", parameters: [categoryId, ...page] }
    : { name: "byCategoryAndStatus", parameters: [categoryId, status, ...page] };
}

export type OrderListName = "all" | "byStatus" | "byAnimal" | "byAnimalAndStatus";

export const orderLists = (dialect: Dialect): Record<OrderListName, string> => ({
  all: pageOf(SELECTED_ORDER, "orders", [], dialect),
  byStatus: pageOf(SELECTED_ORDER, "orders", ["status"], dialect),
  byAnimal: pageOfAnyStatus(SELECTED_ORDER, "orders", "animal_id", ORDER_STATUSES, dialect),
  byAnimalAndStatus: pageOf(SELECTED_ORDER, "orders", ["animal_id", "status"], dialect),
});

export function orderListing({ status, animalId, afterId = INT64_MIN, size }: OrderQuery): Listing<OrderListName> {
  const page = [afterId, size + 1];
  if (animalId === undefined)
    return status === undefined
      ? { name: "all", parameters: page }
      : { name: "byStatus", parameters: [status, ...page] };
  return status === undefined
    ? { name: "byAnimal", parameters: [animalId, ...page] }
    : { name: "byAnimalAndStatus", parameters: [animalId, status, ...page] };
}

/** Rows after an id, by ascending id; the parameters are the columns' values, the id and the number of rows. */
function pageOf(columns: string, table: string, equal: readonly string[], dialect: Dialect): string {
  const marks = [...equal, "id", "limit"].map((_, i) => dialect.mark(i + 1));
  return search(columns, table, equal, marks, dialect);
}

/**
 * Rows by one column out of an index on (column, status): a search for each status, merged by id.
 * So one index serves the column with a status and without, and neither ever scans.
 */
function pageOfAnyStatus(
  columns: string,
  table: string,
  column: string,
  statuses: readonly string[],
  dialect: Dialect,
): string {
  const [value, after, limit] = [1, 2, 3].map(dialect.mark) as [string, string, string];
  const searches = statuses.map((status) => {
    const rows = search(columns, table, [column, "status"], [value, `'${status}'`, after, limit], dialect);
    return `SELECT * FROM (${rows}) AS ${status}`;
  });
  return `SELECT * FROM (${searches.join(" UNION ALL ")}) AS every_status ORDER BY id LIMIT ${limit}`;
}

/** The values are those of the columns, the id and the limit. */
function search(
  columns: string,
  table: string,
  equal: readonly string[],
  values: readonly string[],
  dialect: Dialect,
): string {
  const [after, limit] = values.slice(-2) as [string, string];
  const wanted = values.slice(0, -2);
  if (dialect.ordersByIndex && equal.length > 0) {
    const order = [...equal, "id"].join(", ");
    return `SELECT ${columns} FROM ${table} WHERE (${order}) > (${[...wanted, after].join(", ")})
      AND (${equal.join(", ")}) <= (${wanted.join(", ")}) ORDER BY ${order} LIMIT ${limit}`;
  }
  const conditions = equal.map((column, i) => `${column} = ${wanted[i]} AND `).join("");
  return `SELECT ${columns} FROM ${table} WHERE ${conditions}id > ${after} ORDER BY id LIMIT ${limit}`;
}
