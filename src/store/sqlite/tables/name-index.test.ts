import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { runChecks } from "../../../domain/checkup/checkup.ts";
import { checkSqlite } from "../checkup.ts";
import { NAME_INDEX, NAME_INDEX_SCHEMA } from "../schema/name-index.ts";
import { openForServing } from "../store.ts";
import { NAME_SEARCHES } from "./name-index.ts";

const folder = temporaryFolder();
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
      expect.stringMatching(/^SCAN animal_names VIRTUAL TABLE INDEX \d+:/),
    ]);
  }
  await store.close();
});

test("an index that somebody has made by hand is not taken for ours", async () => {
  const { path, store } = await indexed();
  await store.nameIndex.drop();
  await store.close();
  const db = new Database(path);
  db.run(`CREATE VIRTUAL TABLE ${NAME_INDEX} USING fts5(folded_name, content='secrets')`);
  db.close();
  expect(await openForServing(path).catch((error: unknown) => error)).toMatchObject({
    message: expect.stringContaining(`no version of this program has made the virtual table "${NAME_INDEX}"`),
  });
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
  expect(await problems()).toEqual([[check, "it does not for the animal 3"]]);
  tamper(`INSERT INTO ${NAME_INDEX} (rowid, folded_name) VALUES (3, 'goldfish 3'), (77, 'gone')`);
  expect(await problems()).toEqual([[check, "it does not for the animal 77"]]);
});
