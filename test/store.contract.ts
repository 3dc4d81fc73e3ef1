import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { NewAnimal } from "../src/domain/animal.ts";
import { INT64_MAX, INT64_MIN } from "../src/domain/int64.ts";
import { digestOf, type Key, newKey, newSecret } from "../src/domain/key.ts";
import type { AnswerDraft, Once, Written } from "../src/domain/once.ts";
import { PLANS } from "../src/domain/plan.ts";
import { newTally } from "../src/domain/tally.ts";
import type { PlaceResult, Store } from "../src/store/store.ts";

const REX: NewAnimal = { name: "Rex", categoryId: 7n, status: "available" };
const DRAFT: AnswerDraft = { status: 201, body: ['{"id":', "}"], location: "/pets/" };
const NOW = Date.parse("2027-03-01T12:00:00Z");
const DAY_MS = 86_400_000;

const issuedKey = (): Key =>
  newKey({ name: "Front desk 🐾", plan: "pro", quotas: PLANS.pro, createdAtMs: NOW, expiresAtMs: undefined });

const done = <T>(written: Written<T>): T => {
  if (written.kind !== "done") throw new Error(written.kind);
  return written.result;
};

const orderOf = (result: PlaceResult) => {
  if (result.kind !== "placed") throw new Error(result.kind);
  return result.order;
};

const range = (from: number, to: number): bigint[] => Array.from({ length: to - from + 1 }, (_, i) => BigInt(from + i));

/** What every store promises, under the same names whichever it is. `open` gives a new and empty one. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: the store contract`, () => {
    const create = async (store: Store, animal: Partial<NewAnimal> = {}) =>
      done(await store.animals.create({ ...REX, ...animal }));
    const ids = async (store: Store, query: Omit<Parameters<Store["animals"]["list"]>[0], "size">, size = 100) =>
      (await store.animals.list({ ...query, size })).rows.map((animal) => animal.id);

    test("an animal comes back exactly as it was created, over all of int64 and Unicode", async () => {
      const store = await open();
      const names = fc
        .string({ unit: "grapheme", minLength: 1, maxLength: 100 })
        .filter((text) => !/\p{Cc}/u.test(text));
      await fc.assert(
        fc.asyncProperty(names, fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), async (text, categoryId) => {
          const animal = await create(store, { name: text, categoryId, status: "sold" });
          expect(animal).toEqual({ id: animal.id, name: text, categoryId, status: "sold" });
          expect(await store.animals.get(animal.id)).toEqual(animal);
        }),
        { numRuns: 50 },
      );
      for (const categoryId of [INT64_MIN, INT64_MAX]) {
        const animal = await create(store, { categoryId });
        expect((await store.animals.get(animal.id))?.categoryId).toBe(categoryId);
        expect(await ids(store, { categoryId, ids: [animal.id] })).toEqual([animal.id]);
      }
      await store.close();
    });

    test("ids ascend from 1, and a list is by ascending id, a page at a time", async () => {
      const store = await open();
      for (let i = 0; i < 25; i++) await create(store);
      expect(await ids(store, {})).toEqual(range(1, 25));
      expect(await store.animals.list({ size: 10 })).toMatchObject({ more: true });
      expect(await ids(store, { afterId: 10n }, 10)).toEqual(range(11, 20));
      expect(await store.animals.list({ afterId: 20n, size: 5 })).toMatchObject({ more: false });
      expect(await ids(store, { afterId: INT64_MAX })).toEqual([]);
      expect(await ids(store, { afterId: INT64_MIN }, 3)).toEqual(range(1, 3));
      await store.close();
    });

    test("filters by status, category and ids, in every combination", async () => {
      const store = await open();
      const statuses = ["available", "pending", "sold"] as const;
      for (let i = 0; i < 36; i++)
        await create(store, { categoryId: BigInt(i % 4), status: statuses[i % 3] as "sold" });
      const expected = (keep: (i: number) => boolean) => range(1, 36).filter((id) => keep(Number(id) - 1));
      expect(await ids(store, { status: "sold" })).toEqual(expected((i) => i % 3 === 2));
      expect(await ids(store, { categoryId: 3n })).toEqual(expected((i) => i % 4 === 3));
      expect(await ids(store, { categoryId: 3n, afterId: 12n }, 3)).toEqual(
        expected((i) => i % 4 === 3 && i >= 12).slice(0, 3),
      );
      expect(await ids(store, { categoryId: 3n, status: "sold" })).toEqual(expected((i) => i % 4 === 3 && i % 3 === 2));
      expect(await ids(store, { ids: [9n, 3n, 3n, 99n, -1n, INT64_MAX] })).toEqual([3n, 9n]);
      expect(await ids(store, { ids: range(1, 36), status: "sold", categoryId: 3n })).toEqual(
        expected((i) => i % 12 === 11),
      );
      expect(await ids(store, { ids: range(1, 36), afterId: 30n }, 2)).toEqual([31n, 32n]);
      expect(await ids(store, { categoryId: 4711n })).toEqual([]);
      await store.close();
    });

    test("of parallel orders for one animal exactly one is placed", async () => {
      const store = await open();
      const { id } = await create(store);
      const results = await Promise.all(
        Array.from({ length: 40 }, async () => done(await store.orders.place(id, NOW))),
      );
      expect(results.filter((result) => result.kind === "placed")).toHaveLength(1);
      expect(results.filter((result) => result.kind === "not_available")).toHaveLength(39);
      expect((await store.animals.get(id))?.status).toBe("pending");
      expect(done(await store.orders.place(4711n, NOW))).toEqual({ kind: "no_such_animal" });
      await store.close();
    });

    test("an order moves as the table says, and the animal with it", async () => {
      const store = await open();
      const { id: animalId } = await create(store);
      const order = orderOf(done(await store.orders.place(animalId, NOW)));
      expect(order).toEqual({ id: 1n, animalId, status: "placed", placedAtMs: NOW, updatedAtMs: NOW });
      expect(await store.orders.move(order.id, "delivered", NOW + 1)).toEqual({ kind: "forbidden", from: "placed" });
      const approved = { ...order, status: "approved" as const, updatedAtMs: NOW + 2 };
      expect(await store.orders.move(order.id, "approved", NOW + 2)).toEqual({ kind: "moved", order: approved });
      expect((await store.orders.list({ size: 5 })).rows).toEqual([approved]);
      await store.orders.move(order.id, "cancelled", NOW + 3);
      expect((await store.animals.get(animalId))?.status).toBe("available");
      const second = orderOf(done(await store.orders.place(animalId, NOW + 4)));
      await store.orders.move(second.id, "approved", NOW + 5);
      await store.orders.move(second.id, "delivered", NOW + 6);
      expect((await store.animals.get(animalId))?.status).toBe("sold");
      expect(await store.orders.move(4711n, "approved", NOW)).toEqual({ kind: "no_such_order" });
      const listed = async (query: object) =>
        (await store.orders.list({ size: 5, ...query })).rows.map((row) => row.id);
      expect(await listed({ status: "cancelled" })).toEqual([order.id]);
      expect(await listed({ animalId })).toEqual([order.id, second.id]);
      expect(await listed({ animalId, status: "delivered" })).toEqual([second.id]);
      expect(await listed({ animalId: 4711n })).toEqual([]);
      await store.close();
    });

    test("of moves that race, each is made once", async () => {
      const store = await open();
      for (let round = 0; round < 5; round++) {
        const { id } = await create(store);
        const order = orderOf(done(await store.orders.place(id, NOW)));
        const moves = ["approved", "cancelled", "approved", "cancelled", "delivered"] as const;
        const results = await Promise.all(moves.map((to) => store.orders.move(order.id, to, NOW)));
        const made = results.flatMap((result) => (result.kind === "moved" ? [result.order.status] : []));
        expect(new Set(made).size).toBe(made.length);
        const status = (await store.orders.list({ animalId: id, size: 1 })).rows[0]?.status as string;
        expect((await store.animals.get(id))?.status).toBe(
          ({ approved: "pending", delivered: "sold", cancelled: "available" } as const)[status as "approved"],
        );
      }
      await store.close();
    });

    test("a write with a token is done once, and its answer kept for 24 hours", async () => {
      const store = await open();
      const key = issuedKey();
      await store.keys.create(key, "digest");
      const once: Once = { keyId: key.id, token: "t", fingerprint: "f", nowMs: NOW, draft: DRAFT };
      const write = (change: Partial<Once> = {}) => store.animals.create(REX, { ...once, ...change });
      const results = await Promise.all(Array.from({ length: 20 }, () => write()));
      expect(results.filter((result) => result.kind === "done")).toHaveLength(1);
      const answer = { status: 201, body: '{"id":1}', location: "/pets/1" };
      expect(results.filter((result) => result.kind === "replay").map((result) => result.answer)).toEqual(
        Array(19).fill(answer),
      );
      expect(await write({ fingerprint: "other" })).toEqual({ kind: "mismatch" });
      expect(await write({ token: "T" })).toMatchObject({ kind: "done" });
      expect(await write({ nowMs: NOW + DAY_MS - 1 })).toMatchObject({ kind: "replay" });
      expect(await write({ nowMs: NOW + DAY_MS, fingerprint: "other" })).toMatchObject({ kind: "done" });
      expect(await write({ nowMs: NOW + DAY_MS + 1, fingerprint: "other" })).toMatchObject({ kind: "replay" });
      await store.close();
    });

    test("a result that is not kept is judged anew", async () => {
      const store = await open();
      const key = issuedKey();
      await store.keys.create(key, "digest");
      const once: Once = { keyId: key.id, token: "t", fingerprint: "f", nowMs: NOW, draft: DRAFT };
      const place = () => store.orders.place(1n, NOW, once);
      expect(done(await place())).toEqual({ kind: "no_such_animal" });
      await create(store);
      expect(done(await place())).toMatchObject({ kind: "placed" });
      expect(await place()).toMatchObject({ kind: "replay" });
      await store.close();
    });

    test("old answers are swept, and only those", async () => {
      const store = await open();
      const key = issuedKey();
      await store.keys.create(key, "digest");
      const write = (token: string, nowMs: number) =>
        store.animals.create(REX, { keyId: key.id, token, fingerprint: "", nowMs, draft: DRAFT });
      await write("old", NOW);
      await write("new", NOW + 1);
      expect(await store.sweep(NOW)).toBe(false);
      expect(await write("new", NOW + 2)).toMatchObject({ kind: "replay" });
      await store.close();
    });

    test("a key is found by its secrets, as they come and go", async () => {
      const store = await open();
      const key = { ...issuedKey(), expiresAtMs: NOW + DAY_MS };
      const [first, second, third] = [newSecret(), newSecret(), newSecret()].map(digestOf) as [string, string, string];
      await store.keys.create(key, first);
      expect(await store.keys.findBySecret(first)).toEqual({ key, secret: { expiresAtMs: undefined } });
      expect(await store.keys.findBySecret(second)).toBeUndefined();
      await store.keys.rotate(key.id, second, NOW + 100);
      await store.keys.rotate(key.id, third, NOW + 200);
      const ends = await Promise.all(
        [first, second, third].map(async (digest) => (await store.keys.findBySecret(digest))?.secret.expiresAtMs),
      );
      expect(ends).toEqual([NOW + 100, NOW + 200, undefined]);
      await store.keys.revoke(key.id, NOW + 300);
      await store.keys.revoke(key.id, NOW + 400);
      await store.keys.pardon(key.id, NOW + 500);
      expect(await store.keys.get(key.id)).toEqual({ ...key, revokedAtMs: NOW + 300, pardonedAtMs: NOW + 500 });
      expect(await store.keys.get("key_unknown")).toBeUndefined();
      await store.close();
    });

    test("every change to a key raises the revision, and nothing else does", async () => {
      const store = await open();
      const key = issuedKey();
      const revisions = [await store.keys.revision()];
      for (const change of [
        () => store.keys.create(key, "a"),
        () => store.keys.rotate(key.id, "b", NOW),
        () => store.keys.revoke(key.id, NOW),
        () => store.keys.pardon(key.id, NOW),
      ]) {
        await change();
        revisions.push(await store.keys.revision());
      }
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      await create(store);
      await store.tallies.save([[key.id, newTally()]]);
      expect(await store.keys.revision()).toBe(revisions.at(-1) as number);
      await store.close();
    });

    test("the first key is issued once, and only into an empty store", async () => {
      const store = await open();
      let written = 0;
      const issue = () => store.keys.createFirst(issuedKey(), digestOf(newSecret()), () => void written++);
      const results = [await issue(), await issue()];
      expect([results, written, (await store.keys.list()).length]).toEqual([[true, false], 1, 1]);
      await store.close();
    });

    test("a first key whose file cannot be written is not issued", async () => {
      const store = await open();
      const fail = () => {
        throw new Error("no room for the file");
      };
      await expect(Promise.resolve(store.keys.createFirst(issuedKey(), "d", fail))).rejects.toThrow("no room");
      expect(await store.keys.list()).toEqual([]);
      await store.close();
    });

    test("tallies are kept, and replaced when they are saved again", async () => {
      const store = await open();
      const key = issuedKey();
      await store.keys.create(key, "d");
      const tally = newTally();
      Object.assign(tally.minute, { openedAtMs: NOW, used: 7 });
      Object.assign(tally.conduct, {
        strikes: 3,
        strikesSinceMs: NOW,
        bannedAtMs: NOW,
        bannedUntilMs: NOW + 1,
        bansInARow: 2,
      });
      await store.tallies.save([[key.id, tally]]);
      tally.day.used = 9;
      await store.tallies.save([[key.id, tally]]);
      expect(await store.tallies.load()).toEqual([[key.id, tally]]);
      expect(await store.tallies.get(key.id)).toEqual(tally);
      expect(await store.tallies.get("key_unknown")).toBeUndefined();
      await store.close();
    });
  });
}
