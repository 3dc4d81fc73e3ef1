import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { InvalidRecord } from "../../src/base/json/fields.ts";
import { INT64_MAX, INT64_MIN } from "../../src/base/json/int64.ts";
import { addAnimal, deleteAnimal, getAnimal, listAnimals, updateAnimal } from "../../src/console/resources/animals.ts";
import {
  listCategories,
  listUsedCategories,
  nameCategory,
  unnameCategory,
} from "../../src/console/resources/categories.ts";
import { listJournal } from "../../src/console/resources/journal.ts";
import { issue } from "../../src/console/resources/keys/keys.ts";
import { listOrders, updateOrder } from "../../src/console/resources/orders/orders.ts";
import { SCOPES } from "../../src/domain/keys/scope.ts";
import { ANIMAL_STATUSES, parseNewAnimal } from "../../src/domain/stock/animal.ts";
import { type Answer, openConsole, type TestConsole } from "../harness/service/console-parts.ts";
import { onEveryStore } from "../harness/service/stores.ts";

const REX = { name: "Rex", categoryId: "7", status: "available" };
const HOSTILE = [
  "<script>alert(1)</script>",
  "'; DROP TABLE animals; --",
  "עברית rtl",
  "x".repeat(255),
  "🐕‍🦺",
  '"\\%_',
];

onEveryStore(({ backend, setUp }) => {
  let desk: TestConsole;
  setUp(async () => {
    desk = await openConsole(backend);
  });
  const add = (form: object = {}): Promise<Answer> => desk.ask(addAnimal, { form: { ...REX, ...form } });
  const entries = async () => (await desk.store.journal.list({ size: 100_000 })).rows.length;

  describe("an animal", () => {
    test("is added, updated and removed, each with its entry in the journal", async () => {
      const animal = await add({ name: "Rex <b>", categoryId: String(INT64_MIN) });
      expect(animal).toEqual({
        id: animal.id,
        name: "Rex <b>",
        categoryId: "-9223372036854775808",
        categoryName: null,
        status: "available",
      });
      expect(await desk.ask(getAnimal, { params: animal })).toEqual(animal);
      const updated = await desk.ask(updateAnimal, { params: animal, form: { name: "Rexi", status: "sold" } });
      expect(updated).toEqual({ ...animal, name: "Rexi", status: "sold" });
      expect(await desk.ask(deleteAnimal, { params: animal, form: { name: "Rexi" } })).toBeUndefined();
      expect(await desk.ask(getAnimal, { params: animal })).toMatchObject({ status: 404, code: "animal_not_found" });
      const who = { by: "Anna 🐾", via: "console", atMs: desk.clock.nowMs() };
      const subject = { kind: "animal", id: animal.id, name: "Rex <b>" };
      const categoryId = "-9223372036854775808";
      expect(await desk.journal(3)).toMatchObject([
        { ...who, action: "animals delete", before: { name: "Rexi", categoryId, status: "sold" } },
        {
          ...who,
          action: "animals update",
          subject,
          before: { name: "Rex <b>", status: "available" },
          after: { name: "Rexi", status: "sold" },
        },
        { ...who, action: "animals add", subject, after: { name: "Rex <b>", categoryId, status: "available" } },
      ]);
    });

    test("that is updated to what it is, or refused, has no entry", async () => {
      const animal = await add();
      const before = await entries();
      expect(await desk.ask(updateAnimal, { params: animal, form: { name: "Rex" } })).toEqual(animal);
      expect(await desk.ask(updateAnimal, { params: animal, form: { name: "" } })).toMatchObject({ field: "name" });
      expect(await desk.ask(updateAnimal, { params: animal, form: {} })).toMatchObject({ code: "nothing_to_change" });
      expect(await desk.ask(deleteAnimal, { params: animal, form: { name: "rex" } })).toMatchObject({
        status: 409,
        field: "name",
        message: 'The animal is named "Rex". Type that name to continue.',
      });
      expect(await entries()).toBe(before);
    });

    test("of the API has no entry, whatever is done to it", async () => {
      const before = await entries();
      const created = await desk.store.animals.create({ name: "Api", categoryId: 1n, status: "available" });
      if (created.kind !== "done") throw new Error(created.kind);
      const { id } = created.value;
      await desk.store.animals.update({ id, name: "B" });
      await desk.store.categories.put({ id: 991n, name: "By the API" });
      await desk.store.categories.delete({ id: 991n });
      const order = await desk.store.orders.place({ animalId: id, nowMs: 1 });
      if (order.kind !== "done") throw new Error(order.kind);
      await desk.store.orders.update({ orderId: order.value.id, to: "cancelled", nowMs: 2 });
      expect(await entries()).toBe(before);
    });

    test.each([
      [{ name: " " }, "name", "The name must not be empty or blank."],
      [{ name: "x".repeat(256) }, "name", "The name must be at most 255 characters long."],
      [{ name: "a\0b" }, "name", "The name must not contain control characters such as U+0000."],
      [{ name: null }, "name", "The name must be a string"],
      [
        { categoryId: "" },
        "categoryId",
        `The number of the category must be a whole number from ${INT64_MIN} to ${INT64_MAX}.`,
      ],
      [{ categoryId: String(INT64_MAX + 1n) }, "categoryId", /whole number from/],
      [{ categoryId: String(INT64_MIN - 1n) }, "categoryId", /whole number from/],
      [{ categoryId: "7.0" }, "categoryId", /whole number from/],
      [{ categoryId: "0x7" }, "categoryId", /whole number from/],
      [{ categoryId: 7 }, "categoryId", /whole number from/],
      [{ status: "gone" }, "status", "The status must be one of available, pending, sold."],
      [{ id: "7" }, undefined, '"id" is not a field of this form. Reload the page.'],
    ])("with %p is refused, and the field is named", async (change, field, message) => {
      for (const answer of [await add(change), await desk.ask(updateAnimal, { params: { id: "1" }, form: change })]) {
        expect(answer).toMatchObject({ status: 400, ...(field ? { field } : {}) });
        if (typeof message === "string") expect(answer.message).toStartWith(message);
        else expect(answer.message).toMatch(message);
      }
    });

    test("may be whatever the API takes, and nothing else", async () => {
      const text = fc.oneof(
        fc.string({ unit: "binary", maxLength: 40 }),
        fc.constantFrom(...HOSTILE, "\u200b", "\ud800"),
      );
      const int64 = fc.bigInt({ min: INT64_MIN - 2n, max: INT64_MAX + 2n });
      await fc.assert(
        fc.asyncProperty(text, int64, fc.constantFrom(...ANIMAL_STATUSES, "x"), async (name, categoryId, status) => {
          const inRange = categoryId >= INT64_MIN && categoryId <= INT64_MAX;
          const rule = inRange && !(parseNewAnimal({ name, categoryId, status }) instanceof InvalidRecord);
          const answer = await add({ name, categoryId: String(categoryId), status });
          expect("id" in answer).toBe(rule);
          if (rule) expect(answer).toMatchObject({ name, categoryId: String(categoryId), status });
        }),
        { numRuns: 60 },
      );
    });

    test("that somebody has changed since it was shown is not updated, nor one that is gone", async () => {
      const animal = await add();
      const seen = { name: animal.name, categoryId: animal.categoryId, status: animal.status };
      await desk.store.animals.update({ id: BigInt(animal.id), name: "Max" });
      const form = { status: "sold", seen };
      expect(await desk.ask(updateAnimal, { params: animal, form })).toMatchObject({
        status: 409,
        code: "changed_meanwhile",
      });
      expect(
        await desk.ask(updateAnimal, { params: animal, form: { ...form, seen: { ...seen, name: "Max" } } }),
      ).toMatchObject({
        name: "Max",
        status: "sold",
      });
      expect(await desk.ask(updateAnimal, { params: animal, form: { name: "A", seen: 7 } })).toMatchObject({
        status: 400,
      });
      await desk.store.animals.delete({ id: BigInt(animal.id) });
      for (const params of [animal, { id: "x" }, { id: "01" }, { id: String(INT64_MAX) }, {}]) {
        const notFound = { status: 404, code: "animal_not_found" };
        expect(await desk.ask(updateAnimal, { params, form: { name: "A" } })).toMatchObject(notFound);
        expect(await desk.ask(deleteAnimal, { params, form: { name: "A" } })).toMatchObject(notFound);
        expect(await desk.ask(getAnimal, { params })).toMatchObject(notFound);
      }
    });

    test("in an order keeps its status, and is not removed", async () => {
      const animal = await add();
      await desk.store.orders.place({ animalId: BigInt(animal.id), nowMs: 1 });
      expect(await desk.ask(updateAnimal, { params: animal, form: { status: "sold" } })).toMatchObject({
        status: 409,
        field: "status",
        message:
          "This animal is in an open order, and its status follows that order. Deliver or cancel the order first, or leave the status as it is.",
      });
      expect(await desk.ask(updateAnimal, { params: animal, form: { name: "Rexi" } })).toMatchObject({ name: "Rexi" });
      expect(await desk.ask(deleteAnimal, { params: animal, form: { name: "Rexi" } })).toMatchObject({
        status: 409,
        code: "animal_has_orders",
      });
    });
  });

  describe("categories", () => {
    test("are named, renamed and unnamed, with their entries", async () => {
      const params = { id: "-5" };
      expect(await desk.ask(nameCategory, { params, form: { name: "Dogs" } })).toEqual({ id: "-5", name: "Dogs" });
      expect(await desk.ask(nameCategory, { params, form: { name: "Big dogs" } })).toEqual({
        id: "-5",
        name: "Big dogs",
      });
      expect(await desk.ask(nameCategory, { params: { id: "6" }, form: { name: "BIG DOGS" } })).toMatchObject({
        status: 409,
        field: "name",
        message:
          "Category -5 has this name already, and case makes no difference. Choose another name, or first rename category -5 or remove its name.",
      });
      expect(await desk.ask(unnameCategory, { params })).toBeUndefined();
      expect(await desk.ask(unnameCategory, { params })).toMatchObject({ status: 404, code: "category_not_found" });
      const subject = { kind: "category", id: "-5" };
      expect(await desk.journal(3)).toMatchObject([
        { action: "categories unname", subject, before: { name: "Big dogs" } },
        { action: "categories name", subject, before: { name: "Dogs" }, after: { name: "Big dogs" } },
        { action: "categories name", subject, after: { name: "Dogs" } },
      ]);
      expect(await desk.ask(nameCategory, { params: { id: "x" }, form: { name: "A" } })).toMatchObject({
        field: "categoryId",
      });
      expect(await desk.ask(nameCategory, { params, form: { name: "x".repeat(256) } })).toMatchObject({
        field: "name",
      });
      expect(await desk.ask(unnameCategory, { params: { id: "x" } })).toMatchObject({ status: 404 });
    });

    test("are listed by number, or by how their names begin", async () => {
      for (let i = 0; i < 53; i++) await desk.store.categories.put({ id: 1000n + BigInt(i), name: `Group ${i}` });
      const first = await desk.ask(listCategories, { query: { name: "gROUP" } });
      expect(first.items).toHaveLength(50);
      const rest = await desk.ask(listCategories, { query: { name: "gROUP", cursor: first.next } });
      expect([rest.items.length, rest.next]).toEqual([3, null]);
      expect((await desk.ask(listCategories)).items.length).toBe(50);
      const one = { items: [{ id: "1052", name: "Group 52" }], next: null };
      expect(await desk.ask(listCategories, { query: { id: "1052" } })).toEqual(one);
      expect(await desk.ask(listCategories, { query: { id: "9223372036854775807" } })).toEqual({
        items: [],
        next: null,
      });
      expect(await desk.ask(listCategories, { query: { id: "x" } })).toMatchObject({ status: 400, field: "id" });
      expect(await desk.ask(listCategories, { query: { cursor: first.next } })).toMatchObject({
        status: 400,
        field: "cursor",
      });
    });
  });

  test("categories are listed with their animals, named or not, counted to 10,000", async () => {
    const other = await openConsole(backend);
    const fill = (categoryId: number, count: number) =>
      backend.query(
        other.storage,
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO animals (name, folded_name, category_id, status)
         SELECT 'Rex', 'rex', ${categoryId}, 'available' FROM n`,
      );
    for (const [categoryId, count] of [
      [-1, 10_000],
      [5, 1],
      [6, 10_001],
    ] as const)
      await fill(categoryId, count);
    await other.store.categories.put({ id: 6n, name: "Goldfish" });
    await other.store.categories.put({ id: 7n, name: "Goats" });
    const exactly = (value: number) => ({ value, areMore: false });
    const goldfish = { id: "6", name: "Goldfish", animals: { value: 10_000, areMore: true } };
    const goats = { id: "7", name: "Goats", animals: exactly(0) };
    expect(await other.ask(listUsedCategories)).toEqual({
      items: [
        { id: "-1", name: null, animals: exactly(10_000) },
        { id: "5", name: null, animals: exactly(1) },
        goldfish,
        goats,
      ],
      next: null,
    });
    const named = await other.ask(listUsedCategories, { query: { name: "GO" } });
    expect(named).toEqual({ items: [goats, goldfish], next: null });
    for (let i = 0; i < 53; i++) await other.store.categories.put({ id: 1000n + BigInt(i), name: `Group ${i}` });
    for (const [query, ids] of [
      [{}, ["1046", "1052"]],
      [{ name: "group" }, ["1007", "1009"]],
    ] as const) {
      const first = await other.ask(listUsedCategories, { query });
      const rest = await other.ask(listUsedCategories, { query: { ...query, cursor: first.next } });
      expect([first.items.length, rest.next]).toEqual([50, null]);
      expect([rest.items[0].id, rest.items.at(-1).id]).toEqual([...ids]);
    }
    const ofNames = (await other.ask(listUsedCategories, { query: { name: "group" } })).next;
    expect(await other.ask(listUsedCategories, { query: { cursor: ofNames } })).toMatchObject({
      status: 400,
      field: "cursor",
    });
  });

  test("a change whose entry cannot be written is not made", async () => {
    const other = await openConsole(backend);
    const failing = other.storage.REDIS_URL
      ? "ALTER TABLE journal ADD CHECK (author = 'nobody') NOT VALID"
      : "CREATE TRIGGER full BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'full'); END";
    const animal = await other.ask(addAnimal, { form: REX });
    const order = await other.store.orders.place({ animalId: BigInt(animal.id), nowMs: 1 });
    await backend.query(other.storage, failing);
    const attempts = [
      () => other.ask(addAnimal, { form: REX }),
      () => other.ask(updateAnimal, { params: animal, form: { name: "B" } }),
      () => other.ask(nameCategory, { params: { id: "7" }, form: { name: "Dogs" } }),
      () =>
        other.ask(updateOrder, {
          params: { id: String((order as { value: { id: bigint } }).value.id) },
          form: { status: "approved" },
        }),
    ];
    for (const attempt of attempts) expect(await attempt().catch((error) => error)).toBeInstanceOf(Error);
    expect([...(await other.store.animals.list({ size: 10 })).rows]).toMatchObject([
      { name: "Rex", status: "pending" },
    ]);
    expect([...(await other.store.categories.list({ size: 10 })).rows]).toEqual([]);
    expect((await other.store.orders.list({ size: 10 })).rows).toMatchObject([{ status: "placed" }]);
  });
});

onEveryStore(({ backend, setUp }) => {
  let desk: TestConsole;
  setUp(async () => {
    desk = await openConsole(backend);
    await desk.store.categories.put({ id: 0n, name: "Dogs" });
    await desk.store.categories.put({ id: 1n, name: "Dolphins" });
    await desk.store.categories.put({ id: 2n, name: "Cats" });
    for (let i = 0; i < 120; i++) {
      const name = i % 4 === 0 ? "Rex" : `Animal ${i}`;
      await desk.store.animals.create({ name, categoryId: BigInt(i % 4), status: ANIMAL_STATUSES[i % 3] as "sold" });
    }
  });

  /** Reads all pages of a list. */
  async function all(query: Record<string, string>): Promise<Answer[]> {
    const items: Answer[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Answer = await desk.ask(listAnimals, { query: { ...query, cursor } });
      expect(page.status).toBeUndefined();
      items.push(...page.items);
      cursor = page.next;
    }
    return items;
  }
  const stored = async () => (await desk.store.animals.list({ size: 1000 })).rows.toReversed();

  describe("the list of animals", () => {
    test.each([
      [{}, () => true],
      [{ status: "sold" }, (a: Answer) => a.status === "sold"],
      [{ categoryId: "2" }, (a: Answer) => a.categoryId === 2n],
      [{ categoryId: "2", status: "sold" }, (a: Answer) => a.categoryId === 2n && a.status === "sold"],
      [{ id: "7" }, (a: Answer) => a.id === 7n],
      [{ id: "7", status: "sold" }, (a: Answer) => a.id === 7n && a.status === "sold"],
    ] as [Record<string, string>, (animal: Answer) => boolean][])(
      "for %p has what matches, the newest first, page by page",
      async (query, matches) => {
        const expected = (await stored()).filter(matches).map(({ id }) => String(id));
        expect((await all(query)).map(({ id }) => id)).toEqual(expected);
        expect((await all({ ...query, sort: "id" })).map(({ id }) => id)).toEqual(expected.toReversed());
      },
    );

    test("by name is in the order of names, with a status or without", async () => {
      expect((await all({ name: "rex" })).length).toBe(30);
      expect(
        (await all({ name: "ANIMAL 1", status: "pending" })).every(({ name }) => name.startsWith("Animal 1")),
      ).toBe(true);
      expect(await all({ name: "nobody" })).toEqual([]);
    });

    test("is sorted by name in either direction, all of it, of a status, or what a search finds", async () => {
      for (const query of [{}, { status: "sold" }, { name: "animal" }] as Record<string, string>[]) {
        const sorted = await all({ ...query, sort: "name" });
        const names = sorted.map(({ name }) => name.toLowerCase());
        expect(names).toEqual(names.toSorted());
        expect(sorted).toHaveLength((await all(query)).length);
        const descending = await all({ ...query, sort: "-name" });
        expect(descending.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id).toReversed());
      }
    });

    test("has the names of categories, where there are some", async () => {
      const { items } = await desk.ask(listAnimals);
      const names = Object.fromEntries(items.map((a: Answer) => [a.categoryId, a.categoryName]));
      expect(names).toEqual({ "0": "Dogs", "1": "Dolphins", "2": "Cats", "3": null });
    });

    test.each([
      [{ status: "gone" }, "status"],
      [{ categoryId: "x" }, "categoryId"],
      [{ id: String(INT64_MAX + 1n) }, "id"],
      [{ name: "a\u0000" }, "name"],
      [{ name: "rex", categoryId: "1" }, "name"],
      [{ name: "rex", id: "1" }, "name"],
      [{ cursor: "zzz" }, "cursor"],
      [{ cursor: "0000000000000001.YQ" }, "cursor"],
      [{ name: "rex", cursor: "0000000000000001" }, "cursor"],
      [{ sort: "name", cursor: "0000000000000001" }, "cursor"],
      [{ sort: "status" }, "sort"],
      [{ sort: "name", categoryId: "1" }, "sort"],
      [{ sort: "-name", id: "1" }, "sort"],
      [{ sort: "id", name: "rex" }, "sort"],
    ] as [Record<string, string>, string][])("refuses %p, and names the field", async (query, field) => {
      expect(await desk.ask(listAnimals, { query })).toMatchObject({ status: 400, field });
    });
  });

  describe("orders", () => {
    test("are listed by status, the newest first, with the names of their animals", async () => {
      const { rows } = await desk.store.animals.list({ status: "available", size: 60 });
      for (const { id } of rows.slice(0, 30))
        await desk.store.orders.place({ animalId: id, nowMs: 5, reference: `r${id}` });
      const { items, next } = await desk.ask(listOrders, { query: { status: "placed" } });
      expect([items.length, next]).toEqual([30, null]);
      expect(items[0]).toEqual({
        id: "30",
        petId: String(rows[29]?.id),
        animalName: rows[29]?.name,
        status: "placed",
        reference: `r${rows[29]?.id}`,
        placedAtMs: 5,
        updatedAtMs: 5,
      });
      expect((await desk.ask(listOrders, { query: { status: "delivered" } })).items).toEqual([]);
      expect((await desk.ask(listOrders)).items).toHaveLength(30);
      expect(await desk.ask(listOrders, { query: { status: "lost" } })).toMatchObject({ status: 400, field: "status" });
      const ofOne = await desk.ask(listOrders, { query: { petId: String(rows[3]?.id) } });
      expect(ofOne.items).toMatchObject([{ id: "4", animalName: rows[3]?.name }]);
      expect(await desk.ask(listOrders, { query: { petId: "1.5" } })).toMatchObject({ status: 400, field: "petId" });
    });

    test("are moved, the animal's status follows, and a refused move says why", async () => {
      const params = { id: "30" };
      const approved = await desk.ask(updateOrder, { params, form: { status: "approved" } });
      expect(approved).toMatchObject({ id: "30", status: "approved", updatedAtMs: desk.clock.nowMs() });
      expect(await desk.journal(1)).toMatchObject([
        {
          by: "Anna 🐾",
          action: "orders update",
          subject: { kind: "order", id: "30" },
          before: { status: "placed" },
          after: { status: "approved" },
        },
      ]);
      // Someone else updates the order first.
      await desk.store.orders.update({ orderId: 30n, to: "delivered", nowMs: 9 });
      expect(await desk.ask(updateOrder, { params, form: { status: "cancelled" } })).toMatchObject({
        status: 409,
        field: "status",
        message: "This order is delivered and cannot become cancelled. A delivered order can no longer change.",
      });
      expect(await desk.ask(updateOrder, { params: { id: "29" }, form: { status: "delivered" } })).toMatchObject({
        message: "This order is placed and cannot become delivered. It can become approved or cancelled.",
      });
      expect(await desk.journal(1)).toMatchObject([{ action: "orders update", after: { status: "approved" } }]);
      expect((await desk.store.animals.get(BigInt(approved.petId)))?.status).toBe("sold");
      for (const id of ["999", "x", String(INT64_MAX)])
        expect(await desk.ask(updateOrder, { params: { id }, form: { status: "approved" } })).toMatchObject({
          status: 404,
        });
      expect(await desk.ask(updateOrder, { params, form: { status: "sold" } })).toMatchObject({
        status: 400,
        field: "status",
      });
    });
  });

  test("the journal has the newest first, page by page, of all or of one key", async () => {
    const form = { name: "A", plan: "free", scopes: SCOPES, expiresAtMs: null };
    const { key } = await desk.ask(issue, { form });
    for (let i = 0; i < 60; i++) await desk.ask(nameCategory, { params: { id: "500" }, form: { name: `n${i}` } });
    const seen: Answer[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Answer = await desk.ask(listJournal, { query: { cursor } });
      seen.push(...page.items);
      cursor = page.next;
    }
    const entries = (await desk.store.journal.list({ size: 1000 })).rows;
    expect(seen.map(({ id }) => BigInt(id))).toEqual(entries.map(({ id }) => id).toReversed());
    expect(seen[0]).toEqual({
      id: seen[0].id,
      atMs: desk.clock.nowMs(),
      by: "Anna 🐾",
      via: "console",
      role: "operator",
      action: "categories name",
      subject: { kind: "category", id: "500", name: "n58" },
      before: { name: "n58" },
      after: { name: "n59" },
    });
    const ofKey = await desk.ask(listJournal, { query: { key: key.id } });
    expect(ofKey).toMatchObject({ items: [{ action: "keys create", before: null }], next: null });
    // The id of an import or an animal is not the id of a key.
    expect((await desk.ask(listJournal, { query: { key: "500" } })).items).toEqual([]);
    expect(await desk.ask(listJournal, { query: { cursor: "x" } })).toMatchObject({ status: 400, field: "cursor" });
  });
});
