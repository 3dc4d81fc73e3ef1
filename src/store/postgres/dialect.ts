import type { Dialect, Listing } from "../lists.ts";
import type { SqlValue } from "../rows.ts";
import type { Pool, Sql, Transaction } from "./database.ts";

export const POSTGRES: Dialect = {
  ordersByIndex: true,
  placeholder: (n) => `$${n}`,
  idIsOneOf: (placeholder) => `id = ANY (${placeholder}::text::bigint[])`,
  idList: (ids) => `{${ids.join(",")}}`,
};

/** Runs a statement, which each connection prepares when it first sees it. */
export const run = <Row extends object>(
  sql: Sql | Transaction,
  statement: string,
  parameters: readonly SqlValue[],
): Promise<Row[]> => sql.unsafe<Row[]>(statement, parameters as never[], { prepare: true });

export const runListing = <Name extends string, Row extends object>(
  pool: Pool,
  statements: Record<Name, string>,
  { name, parameters }: Listing<Name>,
): Promise<Row[]> => pool.read((sql) => run<Row>(sql, statements[name], parameters));
