import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { INT64_MAX, INT64_MIN } from "../../src/base/json/int64.ts";
import { type CheckResult, runChecks } from "../../src/domain/checkup/checkup.ts";
import { fold } from "../../src/domain/stock/fold.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { checkPostgres } from "../../src/store/postgres/checkup.ts";
import { openForCommand, openForServing } from "../../src/store/postgres/store.ts";
import { checkSqlite } from "../../src/store/sqlite/checkup.ts";
import { openForCommand as openFile, openForServing as serveFile } from "../../src/store/sqlite/store.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { copyToPostgres, unfinish } from "../harness/rows/copy.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { emptyDatabaseMaker, withSql } from "../harness/servers/postgres.ts";
import { startService } from "../harness/service/service.ts";
import { categoriesContract } from "./contract/categories.contract.ts";

const newDatabase = await emptyDatabaseMaker();
const newPath = () => join(temporaryFolder(), "store.db");

categoriesContract("SQLite, for serving", () => serveFile(newPath()));
categoriesContract("SQLite, for a command", () => openFile(newPath(), { create: true }));
categoriesContract("PostgreSQL", async () => openForServing(await newDatabase(), { connections: 5 }));

const WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

describe("categories on several instances", () => {
  test("of namings that race on two instances, one name serves one category, and nobody gets an error", async () => {
    const url = await newDatabase();
    const stores = await Promise.all([1, 2].map(() => openForServing(url, { connections: 5 })));
    const names = ["Red", "GREEN", "blue", "green", "RED"];
    const work = Array.from({ length: 200 }, (_, i) => {
      const { categories } = stores[i % 2] as Store;
      const id = BigInt(i % 7);
      return i % 11 === 0
        ? categories.delete({ id })
        : categories.put({ id, name: names[(i * 3 + Math.floor(i / 7)) % 5] as string });
    });
    for (const result of await Promise.all(work)) expect(["done", "refused"]).toContain(result.kind);
    const { rows } = await (stores[0] as Store).categories.list({ size: 100 });
    const folded = rows.map(({ name }) => fold(name));
    expect(new Set(folded).size).toBe(folded.length);
    expect((await (stores[1] as Store).categories.list({ size: 100 })).rows).toEqual(rows);
    await Promise.all(stores.map((store) => store.close()));
  });

  test("whoever is overtaken, by the same category or by another with its name, is told what is true then", async () => {
    const url = await newDatabase();
    const store = await openForServing(url, { connections: 3 });
    const [other, watching] = [new SQL(url, { max: 1 }), new SQL(url, { max: 1 })];
    const held = async (statement: string, meanwhile: () => Promise<unknown>): Promise<unknown> => {
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
      const holding = other.begin(async (tx) => {
        await tx.unsafe(statement);
        hold();
        await isOver;
      });
      await isHeld;
      const result = meanwhile();
      // Until it waits for what is not committed yet.
      while ((await watching.unsafe(WAITING)).length === 0) await Bun.sleep(2);
      end();
      await holding;
      return result;
    };
    const dogs = { id: 7n, name: "Dogs" };
    const put = () => store.categories.put(dogs);
    expect(await held("INSERT INTO categories VALUES (8, 'DOGS', 'dogs')", put)).toEqual({
      kind: "refused",
      reason: { kind: "name_taken", by: 8n },
    });
    await store.categories.delete({ id: 8n });
    expect(await held("INSERT INTO categories VALUES (7, 'Cats', 'cats')", put)).toEqual({
      kind: "done",
      value: { category: dogs, isNew: false },
    });
    expect(await held("DELETE FROM categories", put)).toEqual({ kind: "done", value: { category: dogs, isNew: true } });
    const remove = () => store.categories.delete({ id: 7n, precondition: "exists" });
    expect(await held("DELETE FROM categories", remove)).toEqual({
      kind: "refused",
      reason: { kind: "no_such_category" },
    });
    await Promise.all([other.close(), watching.close(), store.close()]);
  });
});

test("a name that one instance has given is on the next page of another, while many share its replies", async () => {
  const env = { DATABASE_URL: await newDatabase() };
  const writer = await startService({ env });
  const reader = await startService({ env, secret: writer.boundless });
  let isOver = false;
  const crowd = Array.from({ length: 8 }, async () => {
    while (!isOver) await reader.call("GET /categories");
  });
  for (let i = 0; i < 30; i++) {
    const changed = i % 3 === 2 ? "DELETE /categories/7" : "PUT /categories/7";
    const body = { name: `Name ${i}` };
    expect((await writer.call(changed, i % 3 === 2 ? {} : { body })).status).toBeLessThan(300);
    const expected = i % 3 === 2 ? [] : [{ id: 7, ...body }];
    const pages = ["GET /categories", "GET /categories?name=name"].map((line) => reader.call(line));
    expect((await Promise.all(pages)).map(({ json }) => json)).toEqual([expected, expected]);
  }
  isOver = true;
  await Promise.all(crowd);
});

describe("copy", () => {
  const categories = [
    { id: INT64_MIN, name: "Lowest" },
    { id: 0n, name: "E\u0301lan 🐕" },
    { id: 10n, name: "Straße" },
    { id: INT64_MAX, name: "DOGS" },
  ];

  async function namedSource(): Promise<string> {
    const path = newPath();
    const store = await openFile(path, { create: true });
    for (const category of categories) await store.categories.put(category);
    await store.close();
    return path;
  }
  const copiedCategories = async (path: string, url: string) =>
    (await copyToPostgres(path, url)).find(({ table }) => table === "categories")?.rows;

  test("carries the names of categories over, and they stay unique", async () => {
    const url = await newDatabase();
    expect(await copiedCategories(await namedSource(), url)).toBe(4);
    const store = await openForCommand(url, { create: true });
    expect((await store.categories.list({ size: 10 })).rows).toEqual(categories);
    expect((await store.categories.list({ name: "él", size: 10 })).rows.map(({ id }) => id)).toEqual([0n]);
    expect(await store.categories.put({ id: 1n, name: "dogs" })).toEqual({
      kind: "refused",
      reason: { kind: "name_taken", by: INT64_MAX },
    });
    await store.close();
  });

  test("is finished after an interruption, even if names and animals were swapped or removed since", async () => {
    const [path, url] = [await namedSource(), await newDatabase()];
    const source = await openFile(path, { create: false });
    const animal = { name: "Rex", categoryId: 7n, status: "available" as const };
    for (let i = 0; i < 3; i++) await source.animals.create(animal);
    await source.close();
    await copyToPostgres(path, url);
    await withSql(url, unfinish);
    const db = openDatabaseFile(path);
    db.run("DELETE FROM categories WHERE id = 10");
    db.run("UPDATE categories SET name = 'x', folded_name = 'x' WHERE id = 0");
    db.run("UPDATE categories SET name = 'E\u0301lan', folded_name = 'élan' WHERE name = 'Lowest'");
    db.run("UPDATE categories SET name = 'Lowest', folded_name = 'lowest' WHERE id = 0");
    db.run("DELETE FROM animals WHERE id = 2");
    db.close(true);
    expect(await copiedCategories(path, url)).toBe(3);
    const store = await openForCommand(url, { create: true });
    expect((await store.categories.list({ size: 10 })).rows.map(({ name }) => name)).toEqual([
      "E\u0301lan",
      "Lowest",
      "DOGS",
    ]);
    expect((await store.animals.list({ size: 10 })).rows.map(({ id }) => id)).toEqual([1n, 3n]);
    await store.close();
  });

  test("refuses a target that has nothing but a category", async () => {
    const url = await newDatabase();
    const store = await openForCommand(url, { create: true });
    await store.categories.put({ id: 7n, name: "Dogs" });
    await store.close();
    await expect(copyToPostgres(await namedSource(), url)).rejects.toMatchObject({ reason: { kind: "not_empty" } });
  });
});

describe("doctor", () => {
  async function problemsIn({ checks, close }: ReturnType<typeof checkSqlite>): Promise<CheckResult[]> {
    const problems: CheckResult[] = [];
    for await (const result of runChecks(checks))
      if (result.finding.kind === "problem" && /categor/.test(result.name)) problems.push(result);
    await close();
    return problems;
  }
  /** Writes what no part of the program would: only an index stands in the way of the second one. */
  const BROKEN = [
    "DROP INDEX categories_by_name",
    "INSERT INTO categories VALUES (1, 'Dogs', 'dogs'), (2, 'DOGS', 'dogs'), (3, '', ''), (4, 'E\u0301lan', 'e\u0301lan'), (5, 'Élan 2', 'Élan 2'), (6, 'Fine', 'fine')",
  ];
  const EXPECTED = [
    ["categories are well-formed", "not so for 1: 3"],
    ["a name is that of one category", "not so for 1: 1"],
    ["categories are found by their names", "not so for 2: 4, 5"],
  ];
  const summary = (problems: CheckResult[]) => problems.map(({ name, finding }) => [name, finding.detail]);

  test("finds what is wrong with the names of categories in a file, and nothing with those that were given", async () => {
    const path = newPath();
    const store = await openFile(path, { create: true });
    for (let i = 0n; i < 30n; i++) await store.categories.put({ id: i + 100n, name: `E\u0301LAN ${i}` });
    await store.close();
    expect(await problemsIn(checkSqlite(path, []))).toEqual([]);
    const db = openDatabaseFile(path);
    for (const statement of BROKEN) db.run(statement);
    db.close(true);
    // The schema is wrong by then, and nothing after it would be checked.
    const { checks, close } = checkSqlite(path, []);
    const all = checks.map((check) => ({ ...check, isNeeded: undefined }) as never);
    expect(summary(await problemsIn({ checks: all, close }))).toEqual(EXPECTED);
  });

  test("finds it on PostgreSQL too, in more rows than fit in a batch", async () => {
    const url = await newDatabase();
    const store = await openForCommand(url, { create: true });
    await store.categories.put({ id: INT64_MIN, name: "E\u0301LAN" });
    await store.close();
    await withSql(url, async (sql) => {
      await sql`INSERT INTO categories SELECT i, 'Name ' || i, 'name ' || i FROM generate_series(1000, 3500) i`;
    });
    expect(await problemsIn(checkPostgres(url, 1))).toEqual([]);
    await withSql(url, async (sql) => {
      for (const statement of BROKEN) await sql.unsafe(statement);
    });
    expect(summary(await problemsIn(checkPostgres(url, 1)))).toEqual(EXPECTED);
  });
});
