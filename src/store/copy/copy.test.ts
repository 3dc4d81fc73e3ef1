import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { copyToPostgres } from "../../../test/harness/rows/copy.ts";
import { OperatorError } from "../../base/operator-error.ts";
import { INTERNAL_TABLES, TABLES } from "../sql/rows.ts";
import { openLocked, openShared } from "../sqlite/file/database.ts";

const folder = temporaryFolder();
/** Nothing listens there: what is refused in time is refused before. */
const NOWHERE = "postgres://nobody@127.0.0.1:1/none";

async function copyAfter(name: string, change: string): Promise<unknown> {
  const path = join(folder, name);
  const db = await openShared(path);
  db.run(change);
  db.close();
  return copyToPostgres(path, NOWHERE).catch((error: unknown) => error);
}

test("a copy is refused when a table has a column that would be left out", async () => {
  const error = await copyAfter("column.db", "ALTER TABLE animals ADD COLUMN color TEXT");
  expect(error).toBeInstanceOf(OperatorError);
  expect((error as Error).message).toContain("the definition of animals has changed");
});

test("a copy is refused when there is a table that would be left out", async () => {
  const error = await copyAfter("table.db", "CREATE TABLE visitors (id INTEGER PRIMARY KEY)");
  expect(error).toBeInstanceOf(OperatorError);
  expect((error as Error).message).toContain("cannot copy the table visitors");
});

test("a source that was refused can be served again at once", async () => {
  const path = join(folder, "unlocked.db");
  (await openShared(path)).close();
  await expect(copyToPostgres(path, NOWHERE)).rejects.toThrow("cannot use the database");
  const { db, unlock } = await openLocked(path);
  db.close();
  unlock();
});

test("the lists of tables and columns are those of the schema", async () => {
  (await openShared(join(folder, "lists.db"))).close();
  const db = new Database(join(folder, "lists.db"));
  const namesIn = (sql: string) => (db.query(sql).all() as { name: string }[]).map(({ name }) => name).sort();
  expect(namesIn("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")).toEqual(
    [...TABLES.map(({ name }) => name), ...INTERNAL_TABLES].sort(),
  );
  for (const { name, columns, key } of TABLES) {
    expect(namesIn(`SELECT name FROM pragma_table_info('${name}')`)).toEqual([...columns].sort());
    expect(namesIn(`SELECT name FROM pragma_table_info('${name}') WHERE pk > 0`)).toEqual([...key].sort());
  }
  db.close();
});
