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

test.each([
  ["keys spy", 'CREATE TABLE "keys spy" (session TEXT REFERENCES console_sessions (digest))'],
  ["journal.", "CREATE TABLE [journal.] (key TEXT REFERENCES keys (id))"],
])("a table is not one of ours because its name, %s, begins like that of one", (name, statement) => {
  expect(unknownAfter(statement)).toBe(`no version of this program has made the table "${name}"`);
});

test.each([
  ["that goes with its keys", "id INTEGER PRIMARY KEY, key_id TEXT REFERENCES keys (id) ON DELETE CASCADE"],
  ["the same, behind comments", "id INTEGER PRIMARY KEY, key_id TEXT REFERENCES/**/keys (id) ON/**/DELETE CASCADE"],
  ["that keeps sessions", "id INTEGER PRIMARY KEY, session TEXT REFERENCES console_sessions (digest)"],
])("a table of ours refers to nothing that no migration has let it refer to: a journal %s", (_, columns) => {
  expect(unknownAfter("DROP TABLE journal", `CREATE TABLE journal (${columns})`)).toBe(
    'no version of this program has made the table "journal"',
  );
});

test("a table of ours may refer to what it does, but no more often", () => {
  const table = "CREATE TABLE tallies (key_id TEXT PRIMARY KEY REFERENCES keys (id), more TEXT";
  expect(unknownAfter("DROP TABLE tallies", `${table})`)).toBeUndefined();
  expect(unknownAfter("DROP TABLE tallies", `${table} REFERENCES keys (id))`)).toContain('the table "tallies"');
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
  const spy = "CREATE TABLE journal (id INTEGER PRIMARY KEY, key_id TEXT REFERENCES keys (id) ON DELETE CASCADE)";
  expect(unknownAfter(newer, "DROP TABLE journal", spy)).toContain('the table "journal"');
});

test.each(["journal", '"Journal"'])("%s may swallow no rows, whatever version the file claims to be of", (name) => {
  const newer = "INSERT INTO migrations (number, name, digest, applied_at, serves_from) VALUES (99, 'x', 'x', 0, 1)";
  const table = `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, via TEXT UNIQUE ON CONFLICT IGNORE)`;
  const unknown = expect.stringMatching(/^no version of this program has made the table "journal"$/i);
  expect(unknownAfter("DROP TABLE journal", table)).toEqual(unknown);
  expect(unknownAfter("DROP TABLE journal", table, newer)).toEqual(unknown);
});
