import { lazy } from "../../domain/lazy.ts";
import { SQLITE_MIGRATIONS } from "../migrations/sqlite/index.ts";
import { MIGRATIONS_TABLE } from "./migration-target.ts";

// The schema that the migrations lead to, read from their text: running them again to find out would take 2 ms of
// each start. The test beside this file compares it with what they make.

export interface ExpectedIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** The condition of an index that does not have all rows. */
  readonly condition: string | undefined;
}

const STATEMENT = /^(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX)|DROP TABLE) [^;]+/gm;
const CREATE = /^CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)/;
const INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+) \(([^)]+)\)(?: WHERE (.+))?$/s;

/** The text of each table and index as SQLite keeps it, by name. */
export const expectedSchema = lazy((): ReadonlyMap<string, string> => {
  const schema = new Map<string, string>();
  for (const text of [MIGRATIONS_TABLE, ...SQLITE_MIGRATIONS.map(({ sql }) => sql)])
    for (const [found] of text.matchAll(STATEMENT)) {
      const statement = found.trim().replace(" IF NOT EXISTS", "");
      const created = CREATE.exec(statement)?.[1];
      if (created !== undefined) schema.set(created, statement);
      else drop(schema, statement.slice("DROP TABLE ".length));
    }
  return schema;
});

function drop(schema: Map<string, string>, table: string): void {
  schema.delete(table);
  for (const index of indexesIn(schema)) if (index.table === table) schema.delete(index.name);
}

export const expectedIndexes = (): readonly ExpectedIndex[] => indexesIn(expectedSchema());

const indexesIn = (schema: ReadonlyMap<string, string>): ExpectedIndex[] =>
  [...schema.values()].flatMap((statement) => {
    const [, name = "", table = "", columns = "", condition] = INDEX.exec(statement) ?? [];
    return name === "" ? [] : [{ name, table, columns: columns.split(", "), condition }];
  });
