import { FOLDED_NAME } from "./rows.ts";
import type { Table } from "./table.ts";

// Statements that read a page out of an index: they begin in the middle of it, and stop when the page is full.

/** The differences between the SQL of the two databases. */
export interface Dialect {
  /**
   * A search by id is ordered by all columns of its index. Otherwise PostgreSQL may prefer to walk the primary key and
   * discard what does not match, even a million rows.
   */
  readonly ordersByIndex: boolean;
  /** The n-th parameter. */
  readonly placeholder: (n: number) => string;
  /** The condition that the id is in a list that is passed as one parameter. */
  readonly idIsOneOf: (placeholder: string) => string;
  /** The value of that parameter. */
  readonly idList: (ids: readonly bigint[]) => string;
  /**
   * The value that the id is compared with, as the last of several columns. SQLite uses an index for it only if it has a
   * collation; otherwise it goes through all rows with the same name.
   */
  readonly idInRow: (placeholder: string) => string;
  /** Limits the rows. SQLite makes a LIMIT that is a mere parameter part of its plan, and plans anew for each value. */
  readonly atMost: (placeholder: string) => string;
  /** Follows a SELECT and locks its rows. SQLite needs no such lock, as it has one writer at a time. */
  readonly forUpdate: string;
  /** The condition that a column has one of the values that a SELECT returns. */
  readonly isOneOf: (column: string, select: string) => string;
  /** The SELECT of all texts in a JSON array that is passed as one parameter. */
  readonly textsIn: (placeholder: string) => string;
  /** Deletes at most `size` rows for which a condition holds, and returns a row for each. */
  readonly deleteSome: (table: Pick<Table, "name" | "key">, condition: string, size: number) => string;
}

/** Placeholders or literals that columns are compared with. */
type Values = Readonly<Record<string, string>>;

export interface Search {
  readonly select: string;
  /** The first columns of an index, in its order, each with its one value. */
  readonly equal: Values;
  /** The next columns, by which rows are ordered, and the values to begin with. */
  readonly from: Values;
  /**
   * The bound of the first of these, which a page ends before, or in descending order with; without it, the page may go
   * on to the end.
   */
  readonly end?: string;
  readonly limit: string;
  readonly isDescending?: boolean;
}

export function search(wanted: Search, { ordersByIndex, atMost }: Dialect): string {
  const { select, equal, from, end, limit, isDescending = false } = wanted;
  const [first, last] = isDescending ? ["<=", ">="] : [">=", "<="];
  const [ordering] = Object.keys(from) as [string];
  // Only one index is in the order of names, so the planner needs no hint; by all columns, rows would have to be sorted.
  const leading = ordersByIndex && ordering === "id" ? equal : {};
  const fixed = leading === equal ? [] : Object.entries(equal).map(([column, value]) => `${column} = ${value}`);
  const conditions = [...fixed, compare({ ...leading, ...from }, first)];
  if (end !== undefined) conditions.push(`${ordering} ${isDescending ? last : "<"} ${end}`);
  if (Object.keys(leading).length > 0) conditions.push(compare(leading, last));
  const order = orderBy(Object.keys({ ...leading, ...from }), isDescending);
  return `${select} WHERE ${conditions.join(" AND ")} ORDER BY ${order} ${atMost(limit)}`;
}

/** A comparison of rows, which is how an index is ordered. */
const compare = (values: Values, operator: string): string =>
  `(${Object.keys(values).join(", ")}) ${operator} (${Object.values(values).join(", ")})`;

const orderBy = (columns: readonly string[], isDescending: boolean): string =>
  columns.map((column) => (isDescending ? `${column} DESC` : column)).join(", ");

/**
 * Rows of any status, out of an index with the status in it: a search for each, merged. So one index serves rows with
 * a status and without, and neither scans.
 */
export function searchEachStatus(wanted: Search, statuses: readonly string[], dialect: Dialect): string {
  const searches = statuses.map((status) => {
    const rows = search({ ...wanted, equal: { ...wanted.equal, status: `'${status}'` } }, dialect);
    return `SELECT * FROM (${rows}) AS ${status}`;
  });
  const columns = Object.keys(wanted.from).map((column) => (column === FOLDED_NAME ? '"foldedName"' : column));
  return `SELECT * FROM (${searches.join(" UNION ALL ")}) AS every_status
    ORDER BY ${orderBy(columns, wanted.isDescending ?? false)} ${dialect.atMost(wanted.limit)}`;
}
