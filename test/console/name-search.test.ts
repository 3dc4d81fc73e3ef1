import { describe, expect, test } from "bun:test";
import { NameIndexing } from "../../src/console/jobs/name-indexing.ts";
import { listAnimals } from "../../src/console/resources/animals.ts";
import { exportFiltered } from "../../src/console/resources/export.ts";
import { SearchTooSlow } from "../../src/store/ports/store.ts";
import { openForServing as openSqlite } from "../../src/store/sqlite/store.ts";
import { SIGNED } from "../harness/rows/author.ts";
import { makeNameIndex } from "../harness/rows/name-index.ts";
import { type Answer, openConsole, type TestConsole } from "../harness/service/console-parts.ts";
import { newSqliteStorage, startService } from "../harness/service/service.ts";
import { onEveryStore, querySqlite, sqlite } from "../harness/service/stores.ts";

test("NAME_INDEX=off removes an index at the start", async () => {
  const storage = newSqliteStorage();
  const path = storage.DATABASE_URL.slice("sqlite:".length);
  const store = await openSqlite(path);
  await store.nameIndex.extend();
  await store.close();
  const parts = () => querySqlite(path, "SELECT name FROM sqlite_schema WHERE name LIKE 'animal_name_index%'");
  expect(parts()).not.toEqual([]);
  await startService({ env: { ...storage, NAME_INDEX: "off" } });
  while (parts().length > 0) await Bun.sleep(5);
});

onEveryStore(({ backend }) => {
  describe("animals", () => {
    const names = ({ items }: Answer): string[] => items.map(({ name }: Answer) => name);
    const inside = (name: string, more: Record<string, string> = {}) => ({ query: { name, inside: "true", ...more } });

    async function openWith(...names: readonly string[]): Promise<TestConsole> {
      const desk = await openConsole(backend);
      await makeNameIndex(desk.storage.DATABASE_URL);
      for (const name of names) await desk.store.animals.create({ name, categoryId: 7n, status: "available" });
      return desk;
    }

    test("are found by a part of their names, the newest first, also right after they were added", async () => {
      const desk = await openWith("Goldfish", "Marigold", "Rex");
      expect(await desk.ask(listAnimals)).not.toHaveProperty("canSearchInside");
      const beginning = await desk.ask(listAnimals, { query: { name: "GOLD" } });
      expect(beginning).toMatchObject({ canSearchInside: true, next: null });
      expect(names(beginning)).toEqual(["Goldfish"]);
      const found = await desk.ask(listAnimals, inside("GOLD"));
      expect(names(found)).toEqual(["Marigold", "Goldfish"]);
      expect(found).not.toHaveProperty("indexing");
      await desk.store.animals.create({ name: "Old gold", categoryId: 7n, status: "sold" });
      expect(names(await desk.ask(listAnimals, inside("gold", { sort: "id" })))).toEqual([
        "Goldfish",
        "Marigold",
        "Old gold",
      ]);
    });

    test("are found so page by page, and exported", async () => {
      const desk = await openWith();
      const counts = { records: 130, animals: 130 };
      const beginning = { ...SIGNED, ...counts, identity: "i", source: "i.csv", again: false, lastId: undefined };
      const begun = await desk.store.imports.begin(beginning);
      if (begun.kind !== "done") throw new Error(begun.kind);
      const animals = Array.from({ length: 130 }, (_, i) => ({
        name: i % 2 === 0 ? `Marigold ${i}` : "Rex",
        categoryId: 1n,
        status: "sold" as const,
      }));
      const whole = { recordsDoneBefore: 0, recordsDone: 130, isLast: true, importId: begun.value.id };
      await desk.store.imports.add({ ...SIGNED, ...whole, animals });
      const first = await desk.ask(listAnimals, inside("gold"));
      expect(names(first)).toEqual(Array.from({ length: 50 }, (_, i) => `Marigold ${128 - 2 * i}`));
      const second = await desk.ask(listAnimals, inside("gold", { cursor: first.next }));
      expect(names(second)).toEqual(Array.from({ length: 15 }, (_, i) => `Marigold ${28 - 2 * i}`));
      expect(second.next).toBeNull();
      const exported = (await desk.ask(exportFiltered, inside("gold"))) as Response;
      expect((await exported.text()).trimEnd().split("\n")).toEqual([
        "id,name,categoryId,status",
        ...Array.from({ length: 65 }, (_, i) => `${2 * i + 1},Marigold ${2 * i},1,sold`),
      ]);
    });

    test.each([
      [inside("go"), "name", "A search inside names needs at least 3 characters. Type more of the name."],
      [inside(""), "name", /at least 3 characters/],
      [inside("🐕🐕"), "name", /at least 3 characters/],
      [
        inside("gold", { status: "sold" }),
        "inside",
        /cannot be combined with a status, a category or an id\. Clear them/,
      ],
      [inside("gold", { categoryId: "7" }), "inside", /cannot be combined/],
      [inside("gold", { id: "7" }), "inside", /cannot be combined/],
      [inside("gold", { sort: "name" }), "sort", /can only be sorted by id/],
      [inside("gold", { inside: "yes" }), "inside", /must be true or false/],
      [inside("gold", { cursor: "x" }), "cursor", /cannot be continued/],
      [inside("gold", { cursor: "0000000000000001.Z29sZA" }), "cursor", /cannot be continued/],
    ])("by %j are refused, and the field is named", async (asked, field, message) => {
      const desk = await openWith("Goldfish");
      expect(await desk.ask(listAnimals, asked)).toMatchObject({
        status: 400,
        field,
        message: expect.stringMatching(message),
      });
    });

    test("by a part that takes too long to look for are not found, and the page asks for more of the name", async () => {
      const desk = await openWith("Goldfish");
      const nameIndex = {
        ...desk.store.nameIndex,
        search: () => {
          throw new SearchTooSlow();
        },
      };
      const parts = { ...desk.parts, store: { ...desk.store, nameIndex } };
      expect(await desk.ask(listAnimals, { ...inside("gold"), parts })).toEqual({
        status: 400,
        code: "invalid_value",
        field: "name",
        message: "The search took too long, and was stopped. Type more of the name.",
      });
    });

    test("cannot be searched so where it is switched off, which the list says; an export reads them all anyway", async () => {
      const desk = await openWith("Marigold", "Rex");
      const { run } = desk.parts.background;
      const { nameIndex } = desk.store;
      const nameIndexing = new NameIndexing({ isOn: false, nameIndex, run, onFailure() {} });
      const parts = { ...desk.parts, nameIndexing };
      expect(await desk.ask(listAnimals, { query: { name: "gold" }, parts })).toMatchObject({ canSearchInside: false });
      expect(await desk.ask(listAnimals, { ...inside("gold"), parts })).toEqual({
        status: 409,
        code: "no_name_index",
        message:
          "This service cannot search inside names, because it has no index for that. Search for the beginning of a name.",
      });
      const exported = (await desk.ask(exportFiltered, { ...inside("gOLd"), parts })) as Response;
      expect(await exported.text()).toBe("id,name,categoryId,status\n1,Marigold,7,available\n");
    });
  });
});

test("what is not indexed yet is told, and found once it is", async () => {
  const desk = await openConsole(sqlite);
  const counts = { records: 2_500, animals: 2_500 };
  const beginning = { ...SIGNED, ...counts, identity: "i", source: "i.csv", again: false, lastId: undefined };
  const begun = await desk.store.imports.begin(beginning);
  if (begun.kind !== "done") throw new Error(begun.kind);
  const animals = Array.from({ length: 2_500 }, (_, i) => ({
    name: `Marigold ${i}`,
    categoryId: 1n,
    status: "sold" as const,
  }));
  const whole = { recordsDoneBefore: 0, recordsDone: 2_500, isLast: true, importId: begun.value.id };
  await desk.store.imports.add({ ...SIGNED, ...whole, animals });
  const search = () => desk.ask(listAnimals, { query: { name: "gold 2499", inside: "true" } });
  expect(await search()).toEqual({
    items: [],
    next: null,
    canSearchInside: true,
    indexing: { upToId: "1000", lastId: "2500", hasFailed: false },
  });
  await desk.settled();
  expect(await search()).toMatchObject({ items: [{ id: "2500" }], next: null });
  expect(await search()).not.toHaveProperty("indexing");
  expect(desk.failures).toEqual([]);
});

test("names that cannot be indexed are told, with what can be found", async () => {
  const desk = await openConsole(sqlite);
  const path = desk.storage.DATABASE_URL.slice("sqlite:".length);
  await desk.store.animals.create({ name: "Marigold", categoryId: 7n, status: "available" });
  querySqlite(path, "CREATE TABLE animal_name_index (note TEXT)");
  expect(await desk.ask(listAnimals, { query: { name: "gold", inside: "true" } })).toEqual({
    items: [],
    next: null,
    canSearchInside: true,
    indexing: { upToId: null, lastId: "1", hasFailed: true },
  });
  expect(desk.failures).toHaveLength(1);
  await desk.store.nameIndex.drop();
  expect(querySqlite(path, "SELECT * FROM animal_name_index")).toEqual([]);
});
