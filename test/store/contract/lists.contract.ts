import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../../src/base/json/int64.ts";
import { mistakeInText, NAME_MAX_CODE_POINTS } from "../../../src/base/text/text.ts";
import type { Awaitable } from "../../../src/base/time/awaitable.ts";
import { ID_ORDERS, type IdOrder, NAME_ORDERS, type Page, type Position } from "../../../src/domain/page.ts";
import { ANIMAL_STATUSES, type Animal } from "../../../src/domain/stock/animal.ts";
import { fold } from "../../../src/domain/stock/fold.ts";
import { ORDER_STATUSES, type Order, type OrderStatus } from "../../../src/domain/stock/order.ts";
import { PET_SHAPE, petJson } from "../../../src/http/wire/pet.ts";
import type { AnimalQuery, Store } from "../../../src/store/ports/store.ts";
import { doneValue } from "./store.contract.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");

/** Letters with and without case, marks that compose, and the edges of the order of code points. */
const CHARACTERS = [
  ..."aAbBzZéÉß ẞİıΣσς",
  "e\u0301",
  "\u0308",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "🐕",
  "\u{10ffff}",
  "\u{1d160}",
];
const names = fc
  .string({
    unit: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...CHARACTERS) },
      { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
    ),
    minLength: 1,
    maxLength: 4,
  })
  .filter((name) => mistakeInText(name, NAME_MAX_CODE_POINTS) === undefined);

const byId = (sort: IdOrder | undefined) => (a: { id: bigint }, b: { id: bigint }) =>
  Number(sort === "-id" ? b.id - a.id : a.id - b.id);

/** By bytes, then by id. */
const byName = (a: Animal, b: Animal): number =>
  Buffer.compare(Buffer.from(fold(a.name)), Buffer.from(fold(b.name))) || Number(a.id - b.id);

/** All pages, each continued after the last row of the one before it. */
async function allPages<Row extends Position>(
  list: (after: Position | undefined) => Awaitable<Page<Row>>,
  size: number,
): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (let after: Position | undefined; ; ) {
    const { rows, more } = await list(after);
    expect(rows.length).toBeLessThanOrEqual(size);
    if (more) expect(rows).toHaveLength(size);
    ids.push(...rows.map(({ id }) => id));
    if (!more) return ids;
    const { id, foldedName } = rows.at(-1) as Row;
    after = { id, foldedName };
  }
}

const nil = { nil: undefined };
const sizes = fc.integer({ min: 1, max: 40 });
const sorts = fc.option(fc.constantFrom(...ID_ORDERS), { nil: undefined });
const animalStatuses = fc.option(fc.constantFrom(...ANIMAL_STATUSES), { nil: undefined });

async function fillWithAnimals(store: Store, count: number): Promise<Animal[]> {
  const fields = fc.record({
    name: names,
    categoryId: fc.constantFrom(INT64_MIN, -1n, 0n, 7n, INT64_MAX),
    status: fc.constantFrom(...ANIMAL_STATUSES),
  });
  const created = fc.sample(fields, count).map(async (animal) => doneValue(await store.animals.create(animal)));
  return Promise.all(created);
}

/** The contract of lists, which every adapter runs. `open` returns a new, empty store. */
export function listsContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: lists`, () => {
    test("a page of animals as JSON is the same page as rows, whatever the names and numbers are", async () => {
      const store = await open();
      await fillWithAnimals(store, 60);
      const query = fc.record({
        size: fc.integer({ min: 1, max: 70 }),
        after: fc.option(fc.record({ id: fc.constantFrom(INT64_MIN, -1n, 0n, 5n, 30n, 59n, 60n, INT64_MAX) }), nil),
        status: animalStatuses,
        categoryId: fc.option(fc.constantFrom(INT64_MIN, 7n, 8n), nil),
        sort: sorts,
      });
      const byNameOrIds = fc.constantFrom(
        {},
        {},
        {},
        { ids: [3n, 1n, 99n, 41n] },
        { name: "a", categoryId: undefined },
      );
      await fc.assert(
        fc.asyncProperty(query, byNameOrIds, async (filters, more) => {
          const asked = { ...filters, ...more, ...("name" in more ? { after: undefined } : {}) };
          const page = await store.animals.list(asked);
          const { json, next } = await store.animals.listJson(asked, PET_SHAPE);
          expect(json).toBe(`[${page.rows.map(petJson).join(",")}]`);
          expect(next?.id).toBe(page.more ? page.rows.at(-1)?.id : undefined);
          expect(next?.foldedName).toBe(page.more ? page.rows.at(-1)?.foldedName : undefined);
        }),
      );
      await store.close();
    });

    test("JSON that the database makes is what JSON.stringify makes, for every character that a name may have", async () => {
      const store = await open();
      const jsonOf = ({ name }: Pick<Animal, "name">) => JSON.stringify({ name });
      const characters = Array.from({ length: 0x11000 }, (_, i) => String.fromCodePoint(i < 0x10000 ? i : i * 16));
      const allowed = characters.filter((character) => mistakeInText(`x${character}`, 2) === undefined);
      const names: string[] = [];
      for (let i = 0; i < allowed.length; i += 250) names.push(`x${allowed.slice(i, i + 250).join("")}`);
      for (const name of names) await store.animals.create({ name, categoryId: 1n, status: "sold" });
      let after: Position | undefined;
      for (let i = 0; i < names.length; i += 100) {
        const page = await store.animals.listJson({ after, size: 100 }, { jsonOf, fields: ["name"] });
        expect(page.json).toBe(
          `[${names
            .slice(i, i + 100)
            .map((name) => JSON.stringify({ name }))
            .join(",")}]`,
        );
        after = page.next;
      }
      await store.close();
    });

    test("every filter of animals, in both directions, has each of its rows once and in order", async () => {
      const store = await open();
      const animals = await fillWithAnimals(store, 150);
      const queries = fc.record({
        size: sizes,
        sort: sorts,
        status: animalStatuses,
        categoryId: fc.option(fc.constantFrom(INT64_MIN, 7n, INT64_MAX, 8n), { nil: undefined }),
        ids: fc.option(fc.array(fc.bigInt({ min: -1n, max: 160n }), { minLength: 1, maxLength: 100 }), {
          nil: undefined,
        }),
      });
      await fc.assert(
        fc.asyncProperty(queries, async (query) => {
          const { status, categoryId, ids, sort, size } = query;
          const expected = animals
            .filter((animal) => status === undefined || animal.status === status)
            .filter((animal) => categoryId === undefined || animal.categoryId === categoryId)
            .filter((animal) => ids === undefined || ids.includes(animal.id))
            .sort(byId(sort));
          const listed = await allPages((after) => store.animals.list({ ...query, after }), size);
          expect(listed).toEqual(expected.map(({ id }) => id));
        }),
      );
      for (const [after, sort] of [
        [INT64_MAX, "id"],
        [INT64_MIN, "-id"],
      ] as const)
        expect(await store.animals.list({ after: { id: after }, sort, size: 5 })).toEqual({ rows: [], more: false });
      await store.close();
    });

    test("a prefix finds exactly the animals whose folded name begins with it, by name and id in either direction", async () => {
      const store = await open();
      const animals = await fillWithAnimals(store, 300);
      const prefixes = fc
        .oneof(
          names,
          fc.nat({ max: 299 }).map((i) => [...(animals[i] as Animal).name].slice(0, 1 + (i % 3)).join("")),
        )
        .map(fold)
        .filter((prefix) => mistakeInText(prefix, NAME_MAX_CODE_POINTS) === undefined);
      const lists = fc.oneof(
        fc.record({ name: prefixes }),
        fc.record({ sort: fc.constantFrom(...NAME_ORDERS) }),
        fc.record({ name: prefixes, sort: fc.constantFrom(...NAME_ORDERS) }),
      );
      await fc.assert(
        fc.asyncProperty(lists, animalStatuses, sizes, async (list, status, size) => {
          const { name = "", sort } = list as Pick<AnimalQuery, "name" | "sort">;
          const expected = animals
            .filter((animal) => fold(animal.name).startsWith(name))
            .filter((animal) => status === undefined || animal.status === status)
            .sort((a, b) => (sort === "-name" ? byName(b, a) : byName(a, b)));
          const listed = await allPages((after) => store.animals.list({ ...list, status, size, after }), size);
          expect(listed).toEqual(expected.map(({ id }) => id));
        }),
        { numRuns: 200 },
      );
      await store.close();
    });

    test("a name that is continued after the last id there can be, or before the first, goes on with the next name", async () => {
      const store = await open();
      for (const text of ["ab", "abc", "b"]) await store.animals.create({ name: text, categoryId: 1n, status: "sold" });
      const after = { id: INT64_MAX, foldedName: "ab" };
      for (const status of [undefined, "sold"] as const)
        expect((await store.animals.list({ name: "a", status, after, size: 5 })).rows).toEqual([
          { id: 2n, name: "abc", categoryId: 1n, status: "sold", foldedName: "abc" },
        ]);
      const beforeAll = { id: INT64_MIN, foldedName: "b" };
      const { rows } = await store.animals.list({ sort: "-name", after: beforeAll, size: 5 });
      expect(rows.map((animal) => animal.name)).toEqual(["abc", "ab"]);
      await store.close();
    });

    test("the longest names that there can be are stored, found and continued after", async () => {
      const store = await open();
      // These characters grow most by folding; their order cannot be compressed.
      const growing = [0x1d15e, 0x1d15f, 0x1d160, 0x1d161, 0x1d162, 0x1d163, 0x1d164, 0x1d1bb, 0x1d1bc, 0x1d1bd];
      const random = (from: readonly number[]) => from[Math.floor(Math.random() * from.length)] as number;
      const longest = (next: () => number) =>
        String.fromCodePoint(...Array.from({ length: NAME_MAX_CODE_POINTS }, next));
      const any = () => 0x20000 + Math.floor(Math.random() * 0xa000);
      const all = [longest(() => random(growing)), longest(() => random(growing)), longest(any), "İ".repeat(255)];
      for (const text of all)
        expect(await store.animals.create({ name: text, categoryId: 1n, status: "sold" })).toMatchObject({
          kind: "done",
        });
      for (const [i, text] of all.entries())
        expect(await allPages((after) => store.animals.list({ name: fold(text), size: 1, after }), 1)).toEqual([
          BigInt(i + 1),
        ]);
      await store.close();
    });

    test("every filter of orders, in both directions, has each of its rows once and in order", async () => {
      const store = await open();
      const references = ["A-1", "a-1", "B", "\u{10ffff}", undefined];
      const orders: Order[] = [];
      const moves: readonly OrderStatus[][] = [[], ["approved"], ["approved", "delivered"], ["cancelled"]];
      for (let i = 0; i < 80; i++) {
        const animal = doneValue(await store.animals.create({ name: "Rex", categoryId: 1n, status: "available" }));
        for (let placed = 0; placed < 1 + (i % 2); placed++) {
          const reference = references[(i * 7 + placed) % references.length];
          let order = doneValue(await store.orders.place({ animalId: animal.id, reference, nowMs: NOW }));
          const path = placed < i % 2 ? ["cancelled" as const] : (moves[i % moves.length] as OrderStatus[]);
          for (const to of path) order = doneValue(await store.orders.update({ orderId: order.id, to, nowMs: NOW }));
          orders.push(order);
        }
      }
      const filter = fc.oneof(
        fc.record({ reference: fc.constantFrom("A-1", "a-1", "B", "\u{10ffff}", "none") }),
        fc.record({ animalId: fc.constantFrom(1n, 2n, 79n, 80n, 4711n) }),
        fc.record({}),
      );
      const status = fc.option(fc.constantFrom(...ORDER_STATUSES), { nil: undefined });
      await fc.assert(
        fc.asyncProperty(filter, status, sorts, sizes, async (wanted, status, sort, size) => {
          const { reference, animalId } = wanted as Partial<Order>;
          const expected = orders
            .filter((order) => reference === undefined || order.reference === reference)
            .filter((order) => animalId === undefined || order.animalId === animalId)
            .filter((order) => status === undefined || order.status === status)
            .sort(byId(sort));
          const list = (after: Position | undefined) =>
            store.orders.list({ reference, animalId, status, sort, size, after });
          expect(await allPages(list, size)).toEqual(expected.map(({ id }) => id));
        }),
      );
      expect((await store.orders.list({ reference: "B", size: 1 })).rows).toEqual([
        orders.find(({ reference }) => reference === "B") as Order,
      ]);
      await store.close();
    });
  });
}
