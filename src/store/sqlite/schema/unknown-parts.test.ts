import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { openShared } from "../file/database.ts";
import { unknownParts } from "./unknown-parts.ts";

const path = join(temporaryFolder(), "store.db");
(await openShared(path)).close(true);

/** Names the unknown parts of a new store after a statement, which is then undone. */
function unknownAfter(...statements: readonly string[]): string | undefined {
  using db = new Database(path, { safeIntegers: true, strict: true });
  db.run("BEGIN");
  for (const statement of statements) db.run(statement);
  return unknownParts(db);
}

test.each([
  ["trigger", "CREATE TRIGGER spy AFTER DELETE ON keys BEGIN SELECT 1; END"],
  ["view", "CREATE VIEW spy AS SELECT * FROM secrets"],
  ["virtual table", "CREATE VIRTUAL TABLE spy USING fts5(name)"],
  ["index", "CREATE INDEX spy ON animals (lower(name))"],
  ["index", "CREATE INDEX spy ON animals (name || status)"],
  ["index", "CREATE INDEX spy ON animals (name) WHERE id > 5"],
  ["index", "CREATE UNIQUE INDEX spy ON console_sessions (name)"],
  ["table", "CREATE TABLE spy (session TEXT REFERENCES console_sessions (digest))"],
])("a %s that could act by itself is unknown: %s", (kind, statement) => {
  expect(unknownAfter(statement)).toBe(`no version of this program has made the ${kind} "spy"`);
});

test("tables and plain indexes of an operator are not", () => {
  expect(
    unknownAfter(
      "CREATE TABLE notes (text TEXT UNIQUE)",
      'CREATE INDEX mine ON animals ("name" COLLATE NOCASE DESC, id)',
      "CREATE INDEX IF NOT EXISTS notes_by_text ON notes(text)",
      'CREATE TABLE "Übersicht" (größe INTEGER)',
      'CREATE INDEX "nach Größe" ON Übersicht ([größe] DESC)',
      "ANALYZE",
    ),
  ).toBeUndefined();
});

test("of a newer version, all tables and indexes are accepted, but no triggers and views", () => {
  const newer = "INSERT INTO migrations (number, name, digest, applied_at, serves_from) VALUES (99, 'x', 'x', 0, 1)";
  const index = "CREATE UNIQUE INDEX newer ON animals (name) WHERE id > 5";
  const table = "CREATE TABLE more (id INTEGER REFERENCES animals (id))";
  expect(unknownAfter(newer, index, table)).toBeUndefined();
  expect(unknownAfter(newer, index, "CREATE VIEW spy AS SELECT 1")).toContain('the view "spy"');
});

test.each(["journal", '"Journal"'])("%s may swallow no rows, whatever version the file claims to be of", (name) => {
  const newer = "INSERT INTO migrations (number, name, digest, applied_at, serves_from) VALUES (99, 'x', 'x', 0, 1)";
  const table = `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, via TEXT UNIQUE ON CONFLICT IGNORE)`;
  const unknown = expect.stringMatching(/^no version of this program has made the table "journal"$/i);
  expect(unknownAfter("DROP TABLE journal", table)).toEqual(unknown);
  expect(unknownAfter("DROP TABLE journal", table, newer)).toEqual(unknown);
});
