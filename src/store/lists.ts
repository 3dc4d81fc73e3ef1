import { ANIMAL_STATUSES } from "../domain/animal.ts";
import { INT64_MIN } from "../domain/int64.ts";
import { ORDER_STATUSES } from "../domain/order.ts";
import { ORDERS, SELECT_ANIMAL, type SqlValue, selectFrom } from "./rows.ts";
import type { AnimalQuery, OrderQuery } from "./store.ts";

// The statements that list animals and orders, for both databases.

/** Where the SQL of the two databases differs. */
export interface Dialect {
  /**
   * Whether a search is ordered by all columns of its index. Otherwise PostgreSQL may prefer to walk
   * the primary key and discard what does not match, even if that is a million rows.
   */
  readonly ordersByIndex: boolean;
  /** The n-th parameter. */
  readonly placeholder: (n: number) => string;
  /** The condition that the id is in a list that is passed as one parameter. */
  readonly idIsOneOf: (placeholder: string) => string;
  /** The list as that parameter. */
  readonly idList: (ids: readonly bigint[]) => string;
}

/** The statement that answers a query, and its parameters. */
export interface Listing<Name extends string> {
  readonly name: Name;
  readonly parameters: SqlValue[];
}

export type AnimalListName = "all" | "byStatus" | "byCategory" | "byCategoryAndStatus" | "byIds";

export const animalLists = (dialect: Dialect): Record<AnimalListName, string> => ({
  all: pageOf(SELECT_ANIMAL, [], dialect),
  byStatus: pageOf(SELECT_ANIMAL, ["status"], dialect),
  byCategory: pageOfAnyStatus(SELECT_ANIMAL, "category_id", ANIMAL_STATUSES, dialect),
  byCategoryAndStatus: pageOf(SELECT_ANIMAL, ["category_id", "status"], dialect),
  byIds: byIds(dialect),
});

const byIds = ({ placeholder, idIsOneOf }: Dialect): string =>
  `${SELECT_ANIMAL} WHERE ${idIsOneOf(placeholder(1))}
    AND (CAST(${placeholder(2)} AS text) IS NULL OR status = ${placeholder(2)})
    AND (CAST(${placeholder(3)} AS bigint) IS NULL OR category_id = ${placeholder(3)})
    AND id > ${placeholder(4)} ORDER BY id LIMIT ${placeholder(5)}`;

/** Reads one row beyond the page, to find out whether more follow. */
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
  all: pageOf(selectFrom(ORDERS), [], dialect),
  byStatus: pageOf(selectFrom(ORDERS), ["status"], dialect),
  byAnimal: pageOfAnyStatus(selectFrom(ORDERS), "animal_id", ORDER_STATUSES, dialect),
  byAnimalAndStatus: pageOf(selectFrom(ORDERS), ["animal_id", "status"], dialect),
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

/** Rows after an id, by ascending id. The parameters are the values of the columns, the id and the limit. */
function pageOf(select: string, equal: readonly string[], dialect: Dialect): string {
  const placeholders = [...equal, "id", "limit"].map((_, i) => dialect.placeholder(i + 1));
  return search(select, equal, placeholders, dialect);
}

/**
 * Rows with a value in one column, out of an index on (column, status): a search for each status,
 * merged by id. So one index serves the column with and without a status, and neither scans.
 */
function pageOfAnyStatus(select: string, column: string, statuses: readonly string[], dialect: Dialect): string {
  const [value, after, limit] = [1, 2, 3].map(dialect.placeholder) as [string, string, string];
  const searches = statuses.map((status) => {
    const rows = search(select, [column, "status"], [value, `'${status}'`, after, limit], dialect);
    return `SELECT * FROM (${rows}) AS ${status}`;
  });
  return `SELECT * FROM (${searches.join(" UNION ALL ")}) AS every_status ORDER BY id LIMIT ${limit}`;
}

/** The values are those of the columns, the id and the limit. */
function search(select: string, equal: readonly string[], values: readonly string[], dialect: Dialect): string {
  const [after, limit] = values.slice(-2) as [string, string];
  const wanted = values.slice(0, -2);
  if (dialect.ordersByIndex && equal.length > 0) {
    const order = [...equal, "id"].join(", ");
    return `${select} WHERE (${order}) > (${[...wanted, after].join(", ")})
      AND (${equal.join(", ")}) <= (${wanted.join(", ")}) ORDER BY ${order} LIMIT ${limit}`;
  }
  const conditions = equal.map((column, i) => `${column} = ${wanted[i]} AND `).join("");
  return `${select} WHERE ${conditions}id > ${after} ORDER BY id LIMIT ${limit}`;
}
