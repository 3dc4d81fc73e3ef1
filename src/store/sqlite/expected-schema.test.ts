import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { openShared } from "./database.ts";
import { expectedIndexes, expectedSchema } from "./expected-schema.ts";

test("the expected schema is the one that the migrations make", async () => {
  const db = await openShared(join(temporaryFolder(), "store.db"));
  const rows = db.query("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").all() as {
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
