import type { SqlValue } from "../../sql/table.ts";
import { type Methods, performing, type Work } from "../../sql/work.ts";
import { attempt } from "../sql/attempt.ts";
import { type Connection, type Prepared, prepared } from "../sql/statements.ts";

/** Performs work on a connection at once. Each statement is prepared when it is first run. */
export function worker(connection: Connection): <Value>(work: Work<Value>) => Value {
  const statements = new Map<string, Prepared<object, SqlValue[]>>();
  const statementOf = (sql: string) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = prepared(connection, sql);
      statements.set(sql, statement);
    }
    return statement();
  };
  return (work) => {
    let step = work.next();
    while (!step.done) {
      const { sql, parameters } = step.value;
      step = work.next(statementOf(sql).all(...parameters));
    }
    return step.value;
  };
}

type Performed<Of extends Methods> = {
  readonly [Name in keyof Of]: Of[Name] extends (...args: infer Args) => Work<infer Value>
    ? (...args: Args) => Value
    : never;
};

/** Methods that only read. */
export function reading<Of extends Methods>(connection: Connection, methods: Of): Performed<Of> {
  const perform = worker(connection);
  return performing(methods, (work) => attempt(() => perform(work)));
}
