import type { Listing } from "../../sql/lists.ts";
import type { Dialect } from "../../sql/searches.ts";
import { orReplace, type Row, type SqlValue, type Table } from "../../sql/table.ts";
import type { Pool } from "./pool.ts";

export const POSTGRES: Dialect = {
  ordersByIndex: true,
  placeholder: (n) => `$${n}`,
  idIsOneOf: (placeholder) => `id = ANY (${placeholder}::text::bigint[])`,
  idList: (ids) => `{${ids.join(",")}}`,
  idInRow: (placeholder) => placeholder,
  atMost: (placeholder) => `LIMIT ${placeholder}`,
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

export const runListing = <Name extends string, Row extends object>(
  pool: Pool,
  statements: Record<Name, string>,
  { name, parameters }: Listing<Name>,
): Promise<Row[]> => pool.read<Row>(statements[name], parameters);
