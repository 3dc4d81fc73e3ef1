import { FOLDED_NAME } from "./rows.ts";

// Statements that read a page out of an index: they begin in the middle of it, and stop when the page is full.

/** Where the SQL of the two databases differs. */
export interface Dialect {
  /**
   * Whether a search by id is ordered by all columns of its index. Otherwise PostgreSQL may prefer to walk
   * the primary key and discard what does not match, even if that is a million rows.
   */
  readonly ordersByIndex: boolean;
  /** The n-th parameter. */
  readonly placeholder: (n: number) => string;
  /** The condition that the id is in a list that is passed as one parameter. */
  readonly idIsOneOf: (placeholder: string) => string;
  /** The list as that parameter. */
  readonly idList: (ids: readonly bigint[]) => string;
  /**
   * What the id is compared with, as the last of several columns. SQLite looks for it in an index only if that has a
   * collation; otherwise it would go through all rows with the same name.
   */
  readonly idInRow: (placeholder: string) => string;
  /** How many rows at most. SQLite makes a LIMIT that is a mere parameter part of its plan, and plans for each value anew. */
  readonly atMost: (placeholder: string) => string;
}

/** What columns are compared with: placeholders, or literals. */
type Values = Readonly<Record<string, string>>;

export interface Search {
  readonly select: string;
  /** The columns that an index begins with, in its order, and the one value of each. */
  readonly equal: Values;
  /** The columns that come next, by which rows are ordered, and where to begin. */
  readonly from: Values;
  /** What the first of these stays below; without it, the page may go on to the end. */
  readonly end?: string;
  readonly limit: string;
  readonly isDescending?: boolean;
}

export function search(wanted: Search, { ordersByIndex, atMost }: Dialect): string {
  const { select, equal, from, end, limit, isDescending = false } = wanted;
  const [first, last] = isDescending ? ["<=", ">="] : [">=", "<="];
  const [ordering] = Object.keys(from) as [string];
  // Only one index is in the order of names: it need not be named, and by all its columns another would be sorted.
  const leading = ordersByIndex && ordering === "id" ? equal : {};
  const fixed = leading === equal ? [] : Object.entries(equal).map(([column, value]) => `${column} = ${value}`);
  const conditions = [...fixed, compare({ ...leading, ...from }, first)];
  if (end !== undefined) conditions.push(`${ordering} < ${end}`);
  if (Object.keys(leading).length > 0) conditions.push(compare(leading, last));
  const order = orderBy(Object.keys({ ...leading, ...from }), isDescending);
  return `${select} WHERE ${conditions.join(" AND ")} ORDER BY ${order} ${atMost(limit)}`;
}

/** As rows: the way in which an index is ordered. */
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
