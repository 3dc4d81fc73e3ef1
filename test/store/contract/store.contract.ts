import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../../src/base/json/int64.ts";
import { DAY_MS } from "../../../src/base/time/clock.ts";
import type { IdempotencyKey } from "../../../src/domain/idempotency.ts";
import { digestOf, type Key, newKey, newSecret } from "../../../src/domain/keys/key.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import { newTally } from "../../../src/domain/limits/tally.ts";
import type { NewAnimal } from "../../../src/domain/stock/animal.ts";
import type { OrderStatus } from "../../../src/domain/stock/order.ts";
import type { Store } from "../../../src/store/ports/store.ts";
import { SIGNED } from "../../harness/rows/author.ts";

const REX: NewAnimal = { name: "Rex", categoryId: 7n, status: "available" };
const NOW = Date.parse("2027-03-01T12:00:00Z");

const issuedKey = (): Key =>
  newKey({ name: "Front desk 🐾", plan: "pro", quotas: PLANS.pro, createdAtMs: NOW, expiresAtMs: undefined });

/** The value of a write that was carried out. */
export const doneValue = <Value>(result: { readonly kind: string; readonly value?: Value }): Value => {
  if (result.kind !== "done") throw new Error(JSON.stringify(result));
  return result.value as Value;
};

const range = (from: number, to: number): bigint[] => Array.from({ length: to - from + 1 }, (_, i) => BigInt(from + i));

/** The contract that every adapter runs. `open` returns a new, empty store. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: the store contract`, () => {
    const create = async (store: Store, animal: Partial<NewAnimal> = {}) =>
      doneValue(await store.animals.create({ ...REX, ...animal }));
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
      expect(await ids(store, { after: { id: 10n } }, 10)).toEqual(range(11, 20));
      expect(await store.animals.list({ after: { id: 20n }, size: 5 })).toMatchObject({ more: false });
      expect(await ids(store, { after: { id: INT64_MAX } })).toEqual([]);
      expect(await ids(store, { after: { id: INT64_MIN } }, 3)).toEqual(range(1, 3));
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
      expect(await ids(store, { categoryId: 3n, after: { id: 12n } }, 3)).toEqual(
        expected((i) => i % 4 === 3 && i >= 12).slice(0, 3),
      );
      expect(await ids(store, { categoryId: 3n, status: "sold" })).toEqual(expected((i) => i % 4 === 3 && i % 3 === 2));
      expect(await ids(store, { ids: [9n, 3n, 3n, 99n, -1n, INT64_MAX] })).toEqual([3n, 9n]);
      expect(await ids(store, { ids: range(1, 36), status: "sold", categoryId: 3n })).toEqual(
        expected((i) => i % 12 === 11),
      );
      expect(await ids(store, { ids: range(1, 36), after: { id: 30n } }, 2)).toEqual([31n, 32n]);
      expect(await ids(store, { categoryId: 4711n })).toEqual([]);
      await store.close();
    });

    test("of parallel orders for one animal exactly one is placed", async () => {
      const store = await open();
      const { id } = await create(store);
      const results = await Promise.all(
        Array.from({ length: 40 }, () => store.orders.place({ animalId: id, nowMs: NOW })),
      );
      expect(results.filter((result) => result.kind === "done")).toHaveLength(1);
      expect(results.filter((result) => result.kind === "refused")).toEqual(
        Array(39).fill({ kind: "refused", reason: { kind: "not_available", status: "pending" } }),
      );
      expect((await store.animals.get(id))?.status).toBe("pending");
      expect(await store.orders.place({ animalId: 4711n, nowMs: NOW })).toEqual({
        kind: "refused",
        reason: { kind: "no_such_animal" },
      });
      await store.close();
    });

    test("an order moves as the table says, and the animal with it", async () => {
      const store = await open();
      const { id: animalId } = await create(store);
      const order = doneValue(await store.orders.place({ animalId, nowMs: NOW }));
      expect(order).toEqual({ id: 1n, animalId, status: "placed", placedAtMs: NOW, updatedAtMs: NOW });
      const move = (orderId: bigint, to: OrderStatus, nowMs: number) => store.orders.update({ orderId, to, nowMs });
      expect(await move(order.id, "delivered", NOW + 1)).toEqual({
        kind: "refused",
        reason: { kind: "invalid_transition", from: "placed", to: "delivered" },
      });
      expect((await store.orders.list({ size: 5 })).rows).toEqual([order]);
      const approved = { ...order, status: "approved" as const, updatedAtMs: NOW + 2 };
      expect(await move(order.id, "approved", NOW + 2)).toEqual({ kind: "done", value: approved });
      expect((await store.orders.list({ size: 5 })).rows).toEqual([approved]);
      await move(order.id, "cancelled", NOW + 3);
      expect((await store.animals.get(animalId))?.status).toBe("available");
      const second = doneValue(await store.orders.place({ animalId, nowMs: NOW + 4 }));
      await move(second.id, "approved", NOW + 5);
      await move(second.id, "delivered", NOW + 6);
      expect((await store.animals.get(animalId))?.status).toBe("sold");
      expect(await move(4711n, "approved", NOW)).toEqual({ kind: "refused", reason: { kind: "no_such_order" } });
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
        const { id: animalId } = await create(store);
        const { id: orderId } = doneValue(await store.orders.place({ animalId, nowMs: NOW }));
        const moves = ["approved", "cancelled", "approved", "cancelled", "delivered"] as const;
        const results = await Promise.all(moves.map((to) => store.orders.update({ orderId, to, nowMs: NOW })));
        const made = results.flatMap((result) => (result.kind === "done" ? [result.value.status] : []));
        expect(new Set(made).size).toBe(made.length);
        const status = (await store.orders.list({ animalId, size: 1 })).rows[0]?.status as string;
        expect((await store.animals.get(animalId))?.status).toBe(
          ({ approved: "pending", delivered: "sold", cancelled: "available" } as const)[status as "approved"],
        );
      }
      await store.close();
    });

    test("placing and cancelling that race for one animal leave one open order or none", async () => {
      const store = await open();
      const { id: animalId } = await create(store);
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const placed = await store.orders.place({ animalId, nowMs: NOW });
          if (placed.kind === "done")
            await store.orders.update({ orderId: placed.value.id, to: "cancelled", nowMs: NOW });
          else expect(placed).toEqual({ kind: "refused", reason: { kind: "not_available", status: "pending" } });
        }),
      );
      expect((await store.animals.get(animalId))?.status).toBe("available");
      expect((await store.orders.list({ status: "placed", size: 5 })).rows).toEqual([]);
      await store.close();
    });

    /** An idempotency key of a key that the store knows. */
    const idempotencyKeyIn = async (store: Store): Promise<IdempotencyKey> => {
      const key = issuedKey();
      await store.keys.create({ ...SIGNED, key, digest: key.id });
      return { keyId: key.id, value: "t", fingerprint: "f", nowMs: NOW };
    };

    test("a write with an idempotency key is carried out once, and its value is saved until it is deleted", async () => {
      const store = await open();
      const key = await idempotencyKeyIn(store);
      const write = (change: Partial<IdempotencyKey> = {}) => store.animals.create(REX, { ...key, ...change });
      const results = await Promise.all(Array.from({ length: 20 }, () => write()));
      expect(results.filter((result) => result.kind === "done")).toEqual([{ kind: "done", value: { id: 1n, ...REX } }]);
      const replay = { kind: "replay" as const, content: { kind: "value" as const, value: { id: 1n, ...REX } } };
      expect(results.filter((result) => result.kind === "replay")).toEqual(Array(19).fill(replay));
      expect(await write({ fingerprint: "other" })).toEqual({ kind: "mismatch" });
      expect(await write({ value: "T" })).toMatchObject({ kind: "done" });
      // Whatever the clock says: a start whose clock is wrong must not carry out a retry.
      for (const nowMs of [0, NOW + DAY_MS, NOW + 30 * DAY_MS]) expect(await write({ nowMs })).toEqual(replay);
      await store.maintenance.deleteSavedResponses({ savedAtMs: NOW });
      expect(await write({ fingerprint: "other" })).toMatchObject({ kind: "done" });
      expect(await write({ fingerprint: "other" })).toMatchObject({ kind: "replay" });
      expect(await write()).toEqual({ kind: "mismatch" });
      await store.close();
    });

    test("what is replayed equals what was returned, over all of int64 and Unicode", async () => {
      const store = await open();
      const key = await idempotencyKeyIn(store);
      const names = fc.oneof(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }).filter((text) => !/\p{Cc}/u.test(text)),
        fc.constantFrom('{"$int64":"1"}', '"$int64"', "\\u0000", "\u2028"),
      );
      await fc.assert(
        fc.asyncProperty(names, fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), fc.uuid(), async (name, id, value) => {
          const write = () => store.animals.create({ name, categoryId: id, status: "sold" }, { ...key, value });
          const animal = doneValue(await write());
          expect(await write()).toEqual({ kind: "replay", content: { kind: "value", value: animal } });
        }),
        { numRuns: 50 },
      );
      await store.close();
    });

    test("a refusal is not saved: the retry is decided again", async () => {
      const store = await open();
      const key = await idempotencyKeyIn(store);
      const place = () => store.orders.place({ animalId: 1n, nowMs: NOW }, key);
      expect(await place()).toEqual({ kind: "refused", reason: { kind: "no_such_animal" } });
      await create(store);
      const order = doneValue(await place());
      expect(await place()).toEqual({ kind: "replay", content: { kind: "value", value: order } });
      expect((await store.orders.list({ size: 5 })).rows).toEqual([order]);
      await store.close();
    });

    test("expired responses are deleted, and only those", async () => {
      const store = await open();
      const key = await idempotencyKeyIn(store);
      const write = (value: string, nowMs: number) => store.animals.create(REX, { ...key, value, nowMs });
      await write("old", NOW);
      await write("new", NOW + 1);
      expect(await store.maintenance.deleteSavedResponses({ savedAtMs: NOW })).toBe(false);
      expect(await write("new", NOW + 2)).toMatchObject({ kind: "replay" });
      expect(await write("old", NOW + 2)).toMatchObject({ kind: "done" });
      await store.close();
    });

    test("a key is found by its secrets, as they come and go", async () => {
      const store = await open();
      const key = { ...issuedKey(), expiresAtMs: NOW + DAY_MS };
      const [first, second, third] = [newSecret(), newSecret(), newSecret()].map(digestOf) as [string, string, string];
      await store.keys.create({ ...SIGNED, key, digest: first });
      expect(await store.keys.findBySecret(first)).toEqual({ key, secret: { expiresAtMs: undefined } });
      expect(await store.keys.findBySecret(second)).toBeUndefined();
      const rotate = (digest: string, oldSecretsExpireAtMs: number) =>
        store.keys.rotate({ ...SIGNED, keyId: key.id, digest, atMs: NOW, oldSecretsExpireAtMs });
      await rotate(second, NOW + 100);
      await rotate(third, NOW + 200);
      const ends = await Promise.all(
        [first, second, third].map(async (digest) => (await store.keys.findBySecret(digest))?.secret.expiresAtMs),
      );
      expect(ends).toEqual([NOW + 100, NOW + 200, undefined]);
      await store.keys.revoke({ ...SIGNED, keyId: key.id, atMs: NOW + 300 });
      await store.keys.revoke({ ...SIGNED, keyId: key.id, atMs: NOW + 400 });
      await store.keys.unban({ ...SIGNED, keyId: key.id, atMs: NOW + 500 });
      expect(await store.keys.get(key.id)).toEqual({ ...key, revokedAtMs: NOW + 300, unbannedAtMs: NOW + 500 });
      expect(await store.keys.get("key_unknown")).toBeUndefined();
      await store.close();
    });

    test("every change to a key raises the revision, and nothing else does", async () => {
      const store = await open();
      const key = issuedKey();
      const revisions = [await store.keys.revision()];
      for (const change of [
        () => store.keys.create({ ...SIGNED, key, digest: "a" }),
        () => store.keys.rotate({ ...SIGNED, keyId: key.id, digest: "b", atMs: NOW, oldSecretsExpireAtMs: NOW }),
        () => store.keys.revoke({ ...SIGNED, keyId: key.id, atMs: NOW }),
        () => store.keys.unban({ ...SIGNED, keyId: key.id, atMs: NOW }),
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

    test("the first key is created once, and only in an empty store", async () => {
      const store = await open();
      const createFirst = () => store.keys.createFirst({ ...SIGNED, key: issuedKey(), digest: digestOf(newSecret()) });
      const results = await Promise.all([createFirst(), createFirst(), createFirst()]);
      expect(results.sort()).toEqual([false, false, true]);
      expect(await store.keys.list()).toHaveLength(1);
      expect(await createFirst()).toBe(false);
      await store.close();
    });

    test("every number of a tally is kept, and replaced when it is saved again", async () => {
      const store = await open();
      const keys = [issuedKey(), issuedKey()] as const;
      for (const key of keys) await store.keys.create({ ...SIGNED, key, digest: key.id });
      let next = NOW;
      const distinctTally = () => {
        const tally = newTally();
        for (const part of Object.values(tally) as Record<string, number>[])
          for (const field of Object.keys(part)) part[field] = next++;
        return tally;
      };
      await store.tallies.save([[keys[0].id, distinctTally()]]);
      const tallies = new Map(keys.map((key) => [key.id, distinctTally()]));
      await store.tallies.save([...tallies]);
      expect(new Map(await store.tallies.load())).toEqual(tallies);
      expect(await store.tallies.get(keys[0].id)).toEqual(tallies.get(keys[0].id));
      expect(await store.tallies.get("key_unknown")).toBeUndefined();
      await store.close();
    });
  });
}

/** A row of the table `answers`, as release 1.0.0 saved it. */
export const ANSWER_OF_1_0_0 = {
  keyId: "key_1",
  token: 'retry "1"',
  fingerprint: "f".repeat(64),
  answeredAtMs: NOW,
  status: 201,
  body: '{"id":9223372036854775807,"name":"日本 🐕 \\"quoted\\" \\\\ \u2028","categoryId":-9223372036854775808,"status":"available"}',
  location: "/v1/pets/9223372036854775807",
};

/** The store was migrated from a database of release 1.0.0 that held that row and its key. */
export async function expectReplayOf1_0_0(store: Store): Promise<void> {
  const { keyId, token, fingerprint, answeredAtMs, status, body, location } = ANSWER_OF_1_0_0;
  const key: IdempotencyKey = { keyId, value: token, fingerprint, nowMs: answeredAtMs + DAY_MS };
  expect(await store.animals.create(REX, key)).toEqual({
    kind: "replay",
    content: { kind: "rendered", status, body, location },
  });
  expect(await store.animals.create(REX, { ...key, fingerprint: "other" })).toEqual({ kind: "mismatch" });
  await store.maintenance.deleteSavedResponses({ savedAtMs: answeredAtMs });
  expect(await store.animals.create(REX, key)).toMatchObject({ kind: "done" });
}
