import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { type Migration, migrate } from "./migrate.ts";
import { SQLITE_MIGRATIONS } from "./migrations/sqlite/index.ts";
import { openShared } from "./sqlite/database.ts";
import { migrationTarget } from "./sqlite/migration-target.ts";

const folder = temporaryFolder();
const fresh = () => new Database(":memory:", { strict: true, safeIntegers: true });

const one: Migration = { number: 1, name: "one", sql: "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1);" };
const two: Migration = { number: 2, name: "two", sql: "INSERT INTO a SELECT x + 1 FROM a;" };

const rows = (db: Database) => db.query("SELECT x FROM a ORDER BY x").all();

test("migrations run once, in order", async () => {
  const db = fresh();
  await migrate(migrationTarget(db), [one]);
  await migrate(migrationTarget(db), [one, two]);
  await migrate(migrationTarget(db), [one, two]);
  expect(rows(db)).toEqual([{ x: 1n }, { x: 2n }]);
});

test("a migration that fails leaves nothing behind", async () => {
  const db = fresh();
  const broken = { number: 2, name: "broken", sql: "INSERT INTO a VALUES (9); INSERT INTO missing VALUES (1);" };
  await expect(migrate(migrationTarget(db), [one, broken])).rejects.toThrow("missing");
  expect(rows(db)).toEqual([{ x: 1n }]);
  await migrate(migrationTarget(db), [one, two]);
  expect(rows(db)).toEqual([{ x: 1n }, { x: 2n }]);
});

test("a migration that was changed after it ran is refused", async () => {
  const db = fresh();
  await migrate(migrationTarget(db), [one]);
  const changed = { ...one, sql: `${one.sql} ` };
  await expect(migrate(migrationTarget(db), [changed])).rejects.toThrow("migration 1 (one) is not the one");
});

test("a schema from a newer version is refused", async () => {
  const db = fresh();
  await migrate(migrationTarget(db), [one, two]);
  await expect(migrate(migrationTarget(db), [one])).rejects.toThrow("schema 2, and this version supports only up to 1");
});

test("a migration that another process ran in between is not run again", async () => {
  const db = fresh();
  const target = migrationTarget(db);
  const slow = { ...target, applied: () => [] };
  await migrate(target, [one]);
  await migrate(slow, [one]);
  expect(rows(db)).toEqual([{ x: 1n }]);
});

test("ten processes may open a new database at once", async () => {
  const path = join(folder, "race.db");
  const script = `const { openShared } = await import(${JSON.stringify(join(import.meta.dir, "sqlite/database.ts"))});
    (await openShared(${JSON.stringify(path)})).close();`;
  const children = Array.from({ length: 10 }, () => Bun.spawn([process.execPath, "-e", script], { stderr: "pipe" }));
  for (const child of children) expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
  const db = await openShared(path);
  expect(db.query("SELECT count(*) AS count FROM migrations").get()).toEqual({
    count: BigInt(SQLITE_MIGRATIONS.length),
  });
  db.close();
});
