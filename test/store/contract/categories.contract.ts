import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../../src/base/json/int64.ts";
import type { IdempotencyKey } from "../../../src/domain/idempotency.ts";
import { newKey } from "../../../src/domain/keys/key.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import type { AnimalStatus } from "../../../src/domain/stock/animal.ts";
import { type Category, categoryTag } from "../../../src/domain/stock/category.ts";
import { fold } from "../../../src/domain/stock/fold.ts";
import type { Store, UsedCategory } from "../../../src/store/ports/store.ts";
import { SIGNED } from "../../harness/rows/author.ts";
import { doneValue } from "./store.contract.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");

const done = (category: Category, isNew: boolean) => ({ kind: "done", value: { category, isNew } });
const taken = (by: bigint) => ({ kind: "refused", reason: { kind: "name_taken", by } });
const refused = (kind: string) => ({ kind: "refused", reason: { kind } });
const replayed = (value: unknown) => ({ kind: "replay", content: { kind: "value", value } });

/** The contract of the names of categories, which every adapter runs. `open` returns a new, empty store. */
export function categoriesContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: names of categories`, () => {
    const put = (store: Store, id: bigint, name: string) => store.categories.put({ id, name });
    const all = async (store: Store) => (await store.categories.list({ size: 100 })).rows;

    test("whatever is named, renamed and removed, it is what the rules say, over all of int64 and Unicode", async () => {
      const store = await open();
      const model = new Map<bigint, string>();
      const ids = fc.oneof(
        fc.constantFrom(INT64_MIN, -1n, 0n, 7n, INT64_MAX),
        fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
      );
      const names = fc.oneof(
        fc.constantFrom("Dogs", "DOGS", "Élan", "E\u0301LAN", "Straße", "STRASSE", "İ", "i\u0307", "Σ", "ς"),
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter((text) => !/\p{Cc}/u.test(text)),
      );
      const step = fc.tuple(fc.constantFrom("put", "put", "put", "delete"), ids, names);
      const run = async (kind: string, id: bigint, wanted: string): Promise<void> => {
        const known = model.get(id);
        if (kind === "delete") {
          const expected =
            known === undefined ? refused("no_such_category") : { kind: "done", value: { id, name: known } };
          expect(await store.categories.delete({ id })).toEqual(expected as never);
          model.delete(id);
          return;
        }
        const holder = [...model].find(([other, name]) => other !== id && fold(name) === fold(wanted));
        const expected = holder ? taken(holder[0]) : done({ id, name: wanted }, known === undefined);
        expect(await put(store, id, wanted)).toEqual(expected as never);
        if (!holder) model.set(id, wanted);
      };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
          for (const [kind, id, wanted] of steps) {
            await run(kind, id, wanted);
            expect((await store.categories.get(id))?.name).toBe(model.get(id) as string);
          }
        }),
        { numRuns: 15 },
      );
      const listed: Category[] = [];
      for (let more = true; more; ) {
        const page = await store.categories.list({ size: 7, after: listed.at(-1) });
        listed.push(...page.rows);
        more = page.more;
      }
      const expected = [...model].map(([id, name]) => ({ id, name })).sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(listed).toEqual(expected);
      await store.close();
    });

    test("are found by several names at once, each whatever its case", async () => {
      const store = await open();
      for (const [id, name] of [
        [INT64_MIN, "Élan"],
        [7n, 'Dogs "and" \\ more'],
        [8n, "🐕"],
        [9n, "Dogs"],
      ] as const)
        await put(store, id, name);
      const find = async (...names: string[]) =>
        (await store.categories.findByNames(names.map(fold))).map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
      expect(await find("ÉLAN", 'DOGS "AND" \\ MORE', "🐕", "Dog", "Dogs and cats")).toEqual([INT64_MIN, 7n, 8n]);
      expect(await find("Dog", "%", "'")).toEqual([]);
      expect(await find()).toEqual([]);
      await store.close();
    });

    test("those with a name or animals are listed once, over all of int64, with as many animals as they have", async () => {
      const store = await open();
      const named = new Map([INT64_MIN, -3n, 0n, 7n, 8n, INT64_MAX - 1n].map((id) => [id, `Group ${id}`]));
      for (const [id, name] of named) await put(store, id, name);
      const counts = new Map<bigint, number>([
        [INT64_MIN + 1n, 1],
        [-3n, 4],
        [7n, 3],
        [9n, 1],
        [INT64_MAX, 2],
      ]);
      for (const [categoryId, count] of counts)
        for (const status of ["available", "sold", "pending", "sold"].slice(0, count))
          await store.animals.add({
            animal: { name: "Rex", categoryId, status: status as AnimalStatus },
            author: SIGNED,
          });
      const ids = [...new Set([...named.keys(), ...counts.keys()])].sort((a, b) => (a < b ? -1 : 1));
      const expected = ids.map((id) => ({ id, name: named.get(id) ?? null }));
      for (let size = 1; size <= ids.length + 1; size++) {
        const listed: UsedCategory[] = [];
        for (let more = true; more; ) {
          const page = await store.counts.usedCategories({ size, after: listed.at(-1) });
          expect(page.rows.length).toBeLessThanOrEqual(size);
          listed.push(...page.rows);
          more = page.more;
        }
        expect(listed).toEqual(expected);
      }
      const unknown = 4711n;
      const counted = await store.counts.animalsByCategory({ ids: [...ids, unknown], most: 3 });
      const atMostThree = [...ids, unknown].map((id) => [id, Math.min(counts.get(id) ?? 0, 3)] as const);
      expect(counted).toEqual(new Map(atMostThree));
      expect(await store.counts.animalsByCategory({ ids: [], most: 3 })).toEqual(new Map());
      await store.close();
    });

    test("a store without animals and names has no categories", async () => {
      const store = await open();
      expect(await store.counts.usedCategories({ size: 5 })).toEqual({ rows: [], more: false });
      await store.close();
    });

    test("of parallel namings with one name exactly one succeeds, and the others learn by whom it was taken", async () => {
      const store = await open();
      for (let round = 0; round < 5; round++) {
        const ids = Array.from({ length: 20 }, (_, i) => BigInt(100 * round + i));
        const results = await Promise.all(ids.map((id) => put(store, id, id % 2n ? `Name ${round}` : `NAME ${round}`)));
        const winners = results.filter((result) => result.kind === "done");
        expect(winners).toHaveLength(1);
        const { category } = doneValue(winners[0] as never) as { category: Category };
        expect(results.filter((result) => result.kind !== "done")).toEqual(Array(19).fill(taken(category.id)));
      }
      expect(await all(store)).toHaveLength(5);
      await store.close();
    });

    test("of parallel namings of one category all succeed, and one finds that it is new", async () => {
      const store = await open();
      const results = await Promise.all(Array.from({ length: 20 }, (_, i) => put(store, 7n, `Name ${i}`)));
      const named = results.map((result) => doneValue(result as never) as { category: Category; isNew: boolean });
      expect(named.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(named.map(({ category }) => category)).toContainEqual((await store.categories.get(7n)) as Category);
      await store.close();
    });

    test("a name goes round between categories that are named and removed at once, and stays with one at the most", async () => {
      const store = await open();
      await Promise.all(
        Array.from({ length: 10 }, async (_, i) => {
          for (let round = 0; round < 5; round++) {
            const named = await put(store, BigInt(i), round % 2 ? "Ball" : "BALL");
            if (named.kind !== "done") expect(named).toMatchObject({ reason: { kind: "name_taken" } });
            else expect(await store.categories.delete({ id: BigInt(i) })).toMatchObject({ kind: "done" });
          }
        }),
      );
      expect(await all(store)).toEqual([]);
      await store.close();
    });

    test("a precondition is judged by what is there", async () => {
      const store = await open();
      const dogs = { id: 7n, name: "Dogs" };
      const failed = refused("precondition_failed") as never;
      for (const precondition of ["exists", { tags: [categoryTag(dogs)] }] as const)
        expect(await store.categories.put({ ...dogs, precondition })).toEqual(refused("not_named") as never);
      expect(await store.categories.delete({ id: 7n, precondition: "exists" })).toEqual(
        refused("no_such_category") as never,
      );
      expect(await store.categories.put({ ...dogs, precondition: "absent" })).toEqual(done(dogs, true) as never);
      expect(await store.categories.put({ ...dogs, precondition: "absent" })).toEqual(
        refused("already_named") as never,
      );
      const stale = { tags: [categoryTag(dogs)] };
      const hounds = { id: 7n, name: "Hounds" };
      expect(await store.categories.put({ ...hounds, precondition: stale })).toEqual(done(hounds, false) as never);
      expect(await store.categories.put({ ...dogs, precondition: stale })).toEqual(failed);
      expect(await store.categories.delete({ id: 7n, precondition: stale })).toEqual(failed);
      expect(await store.categories.get(7n)).toEqual(hounds);
      const current = { tags: ["other", categoryTag(hounds)] };
      expect(await store.categories.delete({ id: 7n, precondition: current })).toEqual({ kind: "done", value: hounds });
      await store.close();
    });

    test("a write with an idempotency key is carried out once, and replayed whatever happened since", async () => {
      const store = await open();
      const issued = newKey({ name: "k", plan: "pro", quotas: PLANS.pro, createdAtMs: NOW, expiresAtMs: undefined });
      await store.keys.create({ ...SIGNED, key: issued, digest: issued.id });
      const key = (value: string, fingerprint = "f"): IdempotencyKey => ({
        keyId: issued.id,
        value,
        fingerprint,
        nowMs: NOW,
      });
      const dogs = { id: INT64_MIN, name: 'Dogs {"$int64":"1"}' };
      const naming = () => store.categories.put(dogs, key("name"));
      const results = await Promise.all(Array.from({ length: 10 }, naming));
      expect(results.filter(({ kind }) => kind === "done")).toEqual([done(dogs, true)] as never);
      const replay = replayed({ category: dogs, isNew: true }) as never;
      expect(results.filter(({ kind }) => kind === "replay")).toEqual(Array(9).fill(replay));
      const removal = () => store.categories.delete({ id: dogs.id }, key("remove"));
      const removals = await Promise.all(Array.from({ length: 10 }, removal));
      expect(removals.filter(({ kind }) => kind === "done")).toEqual([{ kind: "done", value: dogs }]);
      expect(removals.filter(({ kind }) => kind === "replay")).toEqual(Array(9).fill(replayed(dogs)));
      expect(await naming()).toEqual(replay);
      expect(await store.categories.get(dogs.id)).toBeUndefined();
      expect(await store.categories.put(dogs, key("name", "other"))).toEqual({ kind: "mismatch" });
      await put(store, 8n, dogs.name);
      expect(await store.categories.put(dogs, key("late"))).toEqual(taken(8n) as never);
      await store.categories.delete({ id: 8n });
      expect(await store.categories.put(dogs, key("late"))).toEqual(done(dogs, true) as never);
      await store.close();
    });
  });
}
