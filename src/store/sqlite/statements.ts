import type { Database, Statement } from "bun:sqlite";
import { lazy } from "../../domain/lazy.ts";
import type { SqlValue } from "../rows.ts";

/** A statement that is prepared when it is first used: preparing all of them would delay a start by a millisecond. */
export type Prepared<Row, Parameters extends SqlValue[]> = () => Statement<Row, Parameters>;

export const prepared = <Row, Parameters extends SqlValue[] = SqlValue[]>(
  db: Database,
  sql: string,
): Prepared<Row, Parameters> => lazy(() => db.prepare(sql) as Statement<Row, Parameters>);

export const preparedSet = <Name extends string, Row>(
  db: Database,
  statements: Record<Name, string>,
): Record<Name, Prepared<Row, SqlValue[]>> =>
  Object.fromEntries(Object.entries<string>(statements).map(([name, sql]) => [name, prepared(db, sql)])) as Record<
    Name,
    Prepared<Row, SqlValue[]>
  >;
