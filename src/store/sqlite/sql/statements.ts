import type { Database, Statement } from "bun:sqlite";
import type { SqlValue } from "../../sql/table.ts";

/** A connection, or a function that returns the current one, which may have been opened again. */
export type Connection = Database | (() => Database);

/** A statement is prepared when it is first used: preparing all of them would delay a start by a millisecond. */
export function prepared<Row, Parameters extends SqlValue[] = SqlValue[]>(connection: Connection, sql: string) {
  let preparedOn: Database | undefined;
  let statement: Statement<Row, Parameters>;
  return () => {
    const db = typeof connection === "function" ? connection() : connection;
    if (db !== preparedOn) {
      statement = db.prepare(sql) as Statement<Row, Parameters>;
      preparedOn = db;
    }
    return statement;
  };
}

export const hasTable = (db: Database, name: string): boolean =>
  db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== null;
