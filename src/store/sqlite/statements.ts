import type { Database, Statement } from "bun:sqlite";
import { lazy } from "../../domain/lazy.ts";
import type { Parameter } from "../rows.ts";

/** A statement that is prepared when it is first used: preparing all of them would delay a start by a millisecond. */
export type Prepared<Row, Parameters extends Parameter[]> = () => Statement<Row, Parameters>;

export const prepared = <Row, Parameters extends Parameter[] = Parameter[]>(
  db: Database,
  sql: string,
): Prepared<Row, Parameters> => lazy(() => db.prepare(sql) as Statement<Row, Parameters>);

export const preparedSet = <Name extends string, Row>(
  db: Database,
  statements: Record<Name, string>,
): Record<Name, Prepared<Row, Parameter[]>> =>
  Object.fromEntries(Object.entries<string>(statements).map(([name, sql]) => [name, prepared(db, sql)])) as Record<
    Name,
    Prepared<Row, Parameter[]>
  >;
