import type { Dialect } from "../../sql/searches.ts";
import { orReplace, type Row, type SqlValue, type Table } from "../../sql/table.ts";

export const POSTGRES: Dialect = {
  ordersByIndex: true,
  placeholder: (n) => `$${n}`,
  idIsOneOf: (placeholder) => `id = ANY (${placeholder}::text::bigint[])`,
  idList: (ids) => `{${ids.join(",")}}`,
  idInRow: (placeholder) => placeholder,
  atMost: (placeholder) => `LIMIT ${placeholder}`,
  forUpdate: "FOR UPDATE",
  isOneOf: (column, select) => `${column} = ANY (ARRAY(${select}))`,
  textsIn: (placeholder) => `SELECT json_array_elements_text(${placeholder}::text::json)`,
  /** Rows that somebody else has locked are left out. */
  deleteSome: ({ name }, condition, size) => `DELETE FROM ${name} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${name} WHERE ${condition} LIMIT ${size} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
};

/**
 * Every statement has an index to begin in. While a table is small, the planner would rather read all of it, and keep
 * to that plan when it has grown, until it is analysed again. Older servers compile what they think is that expensive.
 */
export const PLANNING = { enable_seqscan: "off", enable_bitmapscan: "off", jit: "off" };

/**
 * Inserts or replaces any number of rows, which are one parameter: a statement for each number of rows would fill
 * the server's memory. As text first, since a driver would encode it once more for a parameter of the type json.
 */
export const upsertRows = (table: Table): string =>
  `INSERT INTO ${table.name} (${table.columns.join(", ")}) SELECT ${table.columns.join(", ")}
  FROM json_populate_recordset(NULL::${table.name}, $1::text::json) ${orReplace(table)}`;

/** The parameter of that statement. Integers are text, which is exact. */
export const rowsParameter = (rows: readonly (Row | Readonly<Record<string, SqlValue>>)[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value));
