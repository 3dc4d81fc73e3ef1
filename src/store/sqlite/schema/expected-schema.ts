import { lazy } from "../../../base/lazy.ts";
import { SQLITE_MIGRATIONS } from "../../migrations/sqlite/index.ts";

// The schema that the migrations lead to, read from their text: running them again to find out would take 2 ms of
// each start. The test beside this file compares it with what they make.

export type ExpectedIndex = ReturnType<typeof indexesIn>[number];

const STATEMENT =
  /^(?:(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX)|DROP (?:TABLE|INDEX)|ALTER TABLE) [^;]+|CREATE TRIGGER [\s\S]+?\nEND)/gm;
const CREATE = /^CREATE (?:UNIQUE )?(?:TABLE|INDEX|TRIGGER) (\w+)/;
const DROP = /^DROP (?:TABLE|INDEX) (\w+)/;
const ADD_COLUMN = /^ALTER TABLE (\w+) ADD COLUMN (.+)$/s;
/** SQLite puts a new column behind the others: before the constraints of the table, or at its end. */
const END_OF_COLUMNS = /,\s*(?:PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY|CONSTRAINT)\b|\)[^)]*$/;
const INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+) \(([^)]+)\)(?: WHERE (.+))?$/s;

/** The text of each table, index and trigger as SQLite keeps it, by name. Without that of the migrations, which is not made by one. */
export const expectedSchema = lazy(() => schemaMadeBy(migrationTexts()));

const migrationTexts = (): string[] => SQLITE_MIGRATIONS.flatMap(({ steps }) => steps.map(({ sql }) => sql));

/** The names and first texts of all that migrations have ever made, also of what a later one has dropped. */
export const everMade = lazy((): ReadonlySet<string> => {
  const made = migrationTexts().flatMap((text) => Array.from(text.matchAll(STATEMENT), ([found]) => found.trim()));
  return new Set(made.flatMap((statement) => [statement, CREATE.exec(statement)?.[1] ?? statement]));
});

/** The tables that each table refers to by the migrations, once for each reference. */
export const referencesOf = lazy((): ReadonlyMap<string, readonly string[]> => {
  const references = new Map<string, readonly string[]>();
  for (const text of migrationTexts())
    for (const [statement] of text.matchAll(STATEMENT)) {
      const name = CREATE.exec(statement)?.[1] ?? ADD_COLUMN.exec(statement)?.[1];
      if (name !== undefined) references.set(name, [...(references.get(name) ?? []), ...refersTo(statement)]);
    }
  return references;
});

/** The tables that a statement refers to. One that is named behind a comment is taken for a word of that. */
export const refersTo = (statement: string): string[] =>
  Array.from(statement.matchAll(/\bREFERENCES\b\W*(\w*)/gi), ([, table = ""]) => table.toLowerCase());

export function schemaMadeBy(texts: readonly string[]): ReadonlyMap<string, string> {
  const schema = new Map<string, string>();
  for (const text of texts)
    for (const [found] of text.matchAll(STATEMENT)) {
      const statement = found.trim();
      const created = CREATE.exec(statement)?.[1];
      const dropped = DROP.exec(statement)?.[1];
      const [, table, column] = ADD_COLUMN.exec(statement) ?? [];
      if (created !== undefined) schema.set(created, statement);
      else if (dropped !== undefined) drop(schema, dropped);
      else if (table !== undefined)
        schema.set(
          table,
          (schema.get(table) ?? "").replace(END_OF_COLUMNS, (end) => `, ${column}${end}`),
        );
    }
  return schema;
}

function drop(schema: Map<string, string>, name: string): void {
  schema.delete(name);
  for (const index of indexesIn(schema)) if (index.table === name) schema.delete(index.name);
}

export const expectedIndexes = (): readonly ExpectedIndex[] => indexesIn(expectedSchema());

/** Reads the indexes of a schema. The condition is that of an index that does not have all rows. */
const indexesIn = (schema: ReadonlyMap<string, string>) =>
  [...schema.values()].flatMap((statement) => {
    const [, name = "", table = "", columns = "", condition] = INDEX.exec(statement) ?? [];
    return name === "" ? [] : [{ name, table, columns: columns.split(", "), condition }];
  });
