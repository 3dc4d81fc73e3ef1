import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { openShared } from "../file/database.ts";
import { expectedIndexes, expectedSchema, schemaMadeBy } from "./expected-schema.ts";

test("the expected schema is the one that the migrations make", async () => {
  const db = await openShared(join(temporaryFolder(), "store.db"));
  const rows = db
    .query("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND name <> 'migrations'")
    .all() as {
    name: string;
    sql: string;
  }[];
  expect(new Map([...expectedSchema()].sort())).toEqual(
    new Map(rows.map(({ name, sql }) => [name, sql] as const).sort()),
  );
  for (const { name, table, columns } of expectedIndexes()) {
    const found = db.query("SELECT name FROM pragma_index_info(?)").all(name) as { name: string }[];
    expect(found.map((column) => column.name)).toEqual([...columns]);
    expect(db.query("SELECT tbl_name FROM sqlite_schema WHERE name = ?").get(name)).toEqual({ tbl_name: table });
  }
  expect(expectedIndexes().length).toBe(rows.filter(({ sql }) => sql.includes(" INDEX ")).length);
  db.close();
});

test("what later migrations add and drop is expected as SQLite keeps it", () => {
  const texts = [
    "CREATE TABLE a (\n  x INTEGER CHECK (x > 0)\n) STRICT;\n\nCREATE TABLE b (\n  x TEXT NOT NULL,\n  PRIMARY KEY (x)\n) STRICT, WITHOUT ROWID;",
    "ALTER TABLE a ADD COLUMN y INTEGER;\nALTER TABLE b ADD COLUMN y TEXT;\nCREATE INDEX by_x ON a (x);\nCREATE INDEX by_y ON a (y);",
    "ALTER TABLE a ADD COLUMN z INTEGER DEFAULT (1);\nDROP INDEX by_x;",
  ];
  const db = new Database(":memory:");
  for (const text of texts) db.run(text);
  const rows = db.query("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").all() as {
    name: string;
    sql: string;
  }[];
  expect(schemaMadeBy(texts)).toEqual(new Map(rows.map(({ name, sql }) => [name, sql])));
});
