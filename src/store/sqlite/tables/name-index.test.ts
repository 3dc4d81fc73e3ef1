import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { openDatabaseFile } from "../../../../test/harness/rows/sqlite.ts";
import { NAME_MAX_CODE_POINTS } from "../../../base/text/text.ts";
import { runChecks } from "../../../domain/checkup/checkup.ts";
import { restoreSqlite } from "../backup/restore.ts";
import { checkSqlite } from "../checkup.ts";
import { INDEXED_NAMES, NAME_INDEX, NAME_INDEX_SCHEMA } from "../schema/name-index.ts";
import { openForServing } from "../store.ts";
import { NAME_SEARCHES } from "./name-index.ts";

const folder = temporaryFolder();
/** The first trigram of the index, as FTS5 stores it. */
const FIRST_TERM = "0dfi";
let files = 0;

/** A store with some animals, of which all are indexed. */
async function indexed(animals = 5) {
  const path = join(folder, `${++files}.db`);
  const store = await openForServing(path);
  const before = parts(path);
  for (let i = 1; i <= animals; i++)
    await store.animals.create({ name: `Goldfish ${i}`, categoryId: 1n, status: "sold" });
  expect(parts(path)).toEqual(before);
  while (await store.nameIndex.extend());
  return { path, store, before };
}

/** The texts of all parts of a file's schema. */
function parts(path: string): unknown[] {
  using db = new Database(path, { readonly: true });
  return db.query("SELECT name, sql FROM sqlite_schema ORDER BY name").values();
}

test("the index is made by the first search alone, and nothing is left of it when it was dropped", async () => {
  const { path, store, before } = await indexed();
  const names = parts(path).map((part) => (part as string[])[0]);
  expect(names).toEqual(expect.arrayContaining(Object.keys(NAME_INDEX_SCHEMA)));
  await store.nameIndex.drop();
  expect(parts(path)).toEqual(before);
  await store.nameIndex.drop();
  expect(await store.nameIndex.progress()).toEqual({ upToId: undefined, lastId: 5n });
  expect(await store.nameIndex.search({ part: "fish", sort: "id", after: undefined, size: 9 })).toEqual({
    rows: [],
    more: false,
  });
  await store.animals.update({ id: 1n, name: "Rex" });
  while (await store.nameIndex.extend());
  const { rows } = await store.nameIndex.search({ part: "fish", sort: "id", after: undefined, size: 9 });
  expect(rows.map(({ id }) => id)).toEqual([2n, 3n, 4n, 5n]);
  await store.close();
});

test("a page is read in the order of the index, without a scan and without sorting animals", async () => {
  const { path, store } = await indexed();
  using db = new Database(path, { readonly: true });
  for (const sql of Object.values(NAME_SEARCHES)) {
    const plan = (db.query(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail);
    expect(plan).toEqual([
      "SEARCH animals USING INTEGER PRIMARY KEY (rowid=?)",
      "LIST SUBQUERY 1",
      expect.stringMatching(/^SCAN animal_name_index VIRTUAL TABLE INDEX \d+:/),
    ]);
  }
  await store.close();
});

test.each([
  ["another table for its own", [`CREATE VIRTUAL TABLE ${NAME_INDEX} USING fts5(folded_name, content='secrets')`]],
  ["its table without the triggers", [NAME_INDEX_SCHEMA[NAME_INDEX] as string]],
  [
    "its triggers on a table that keeps rows from being removed",
    [
      `CREATE TABLE ${NAME_INDEX} (folded_name)`,
      `CREATE TABLE ${INDEXED_NAMES} (id INTEGER PRIMARY KEY, CHECK (id < 0))`,
      ...Object.values(NAME_INDEX_SCHEMA).slice(1),
    ],
  ],
])("a file with %s is refused", async (_, statements) => {
  const { path, store } = await indexed();
  await store.nameIndex.drop();
  await store.close();
  const db = new Database(path);
  for (const statement of statements) db.run(statement);
  db.close();
  expect(await openForServing(path).catch((error: unknown) => error)).toMatchObject({
    message: expect.stringMatching(
      /no version of this program has made the (virtual table|trigger) "animal_name_index/,
    ),
  });
});

test("a name of release 1.1.0 is found once it is folded, also if its animal was indexed before that", async () => {
  const { path, store } = await indexed();
  using db = openDatabaseFile(path);
  db.run("INSERT INTO animals (name, category_id, status) VALUES ('MARIGOLD', 1, 'sold')");
  while (await store.nameIndex.extend());
  expect(await store.nameIndex.progress()).toEqual({ upToId: 6n, lastId: 6n });
  const find = async () =>
    (await store.nameIndex.search({ part: "marigold", sort: "id", after: undefined, size: 9 })).rows.map(
      ({ id }) => id,
    );
  expect(await find()).toEqual([]);
  while (await store.maintenance.foldNames());
  expect(await find()).toEqual([6n]);
  await store.close();
});

test("a name as long as one may be is found by all of it", async () => {
  const { store } = await indexed();
  const name = "🐕".repeat(NAME_MAX_CODE_POINTS - 1);
  await store.animals.create({ name: `x${name}`, categoryId: 1n, status: "sold" });
  while (await store.nameIndex.extend());
  const { rows } = await store.nameIndex.search({ part: name, sort: "-id", after: undefined, size: 9 });
  expect(rows.map(({ id }) => id)).toEqual([6n]);
  await store.close();
});

test("a restore leaves the index out, which nobody has compared with the names", async () => {
  const { path, store, before } = await indexed();
  await store.close();
  const restored = join(folder, `${++files}.db`);
  const authorship = { by: "t", via: "command", atMs: 1 } as const;
  await restoreSqlite(restored, path, { authorship, isForced: false });
  expect(parts(restored)).toEqual(before);
});

test("doctor finds an index that lacks an animal, or has one that is gone", async () => {
  const { path, store } = await indexed();
  await store.close();
  const problems = async () => {
    const checkup = checkSqlite(path, []);
    const results = await Array.fromAsync(runChecks(checkup.checks));
    checkup.close();
    return results.flatMap(({ name, finding }) => (finding.kind === "problem" ? [[name, finding.detail]] : []));
  };
  expect(await problems()).toEqual([]);
  const tamper = (...statements: readonly string[]): void => {
    using db = new Database(path);
    for (const statement of statements) db.run(statement);
  };
  const check = "the index of names agrees with the animals";
  tamper(`DELETE FROM ${NAME_INDEX} WHERE rowid = 3`);
  expect(await problems()).toEqual([[check, "they disagree about the animal 3"]]);
  tamper(`INSERT INTO ${NAME_INDEX} (rowid, folded_name) VALUES (3, 'goldfish 3'), (77, 'gone')`);
  expect(await problems()).toEqual([[check, "they disagree about the animal 77"]]);
  tamper(`DELETE FROM ${NAME_INDEX} WHERE rowid = 77`);
  expect(await problems()).toEqual([]);
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(FIRST_TERM); at >= 0; at = bytes.indexOf(FIRST_TERM)) bytes.write("0zzz", at);
  writeFileSync(path, bytes);
  expect(await problems()).toEqual([[check, expect.stringContaining(NAME_INDEX)]]);
  // It can be made again, so the service starts.
  const next = await openForServing(path);
  await next.nameIndex.drop();
  await next.close();
  expect(await problems()).toEqual([]);
});
