import type { Database, Statement } from "bun:sqlite";
import type { Dialect, Parameter } from "../lists.ts";

export const SQLITE: Dialect = {
  ordersByIndex: false,
  mark: (n) => `?${n}`,
  idIsOneOf: (mark) => `id IN (SELECT value FROM json_each(${mark}))`,
  idList: (ids) => `[${ids.join(",")}]`,
};

/** Every statement of a set, prepared once. */
export const prepareAll = <Name extends string, Row>(
  db: Database,
  statements: Record<Name, string>,
): Record<Name, Statement<Row, Parameter[]>> =>
  Object.fromEntries(Object.entries<string>(statements).map(([name, sql]) => [name, db.prepare(sql)])) as Record<
    Name,
    Statement<Row, Parameter[]>
  >;
