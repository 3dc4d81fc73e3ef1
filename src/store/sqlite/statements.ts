import type { Database, Statement } from "bun:sqlite";
import type { Parameter } from "../lists.ts";

/** Gives a statement, which is prepared when it is first used: a start needs few of them. */
export type Prepared<Row, Parameters extends Parameter[]> = () => Statement<Row, Parameters>;

export function prepared<Row, Parameters extends Parameter[] = Parameter[]>(
  db: Database,
  sql: string,
): Prepared<Row, Parameters> {
  let statement: Statement<Row, Parameters> | undefined;
  return () => (statement ??= db.prepare(sql) as Statement<Row, Parameters>);
}

export const preparedSet = <Name extends string, Row>(
  db: Database,
  statements: Record<Name, string>,
): Record<Name, Prepared<Row, Parameter[]>> =>
  Object.fromEntries(Object.entries<string>(statements).map(([name, sql]) => [name, prepared(db, sql)])) as Record<
    Name,
    Prepared<Row, Parameter[]>
  >;
