import type { Dialect, Listing } from "../lists.ts";
import type { Pool } from "./database.ts";

export const POSTGRES: Dialect = {
  ordersByIndex: true,
  mark: (n) => `$${n}`,
  idIsOneOf: (mark) => `id = ANY (${mark}::text::bigint[])`,
  idList: (ids) => `{${ids.join(",")}}`,
};

/** Runs a statement of a set. Each connection prepares it when it first sees it. */
export const runListing = <Name extends string, Row extends object>(
  pool: Pool,
  statements: Record<Name, string>,
  { name, parameters }: Listing<Name>,
): Promise<Row[]> => pool.read((sql) => sql.unsafe<Row[]>(statements[name], parameters as never[], { prepare: true }));
