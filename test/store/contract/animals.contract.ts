import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../../src/base/json/int64.ts";
import { DAY_MS } from "../../../src/base/time/clock.ts";
import type { IdempotencyKey } from "../../../src/domain/idempotency.ts";
import { newKey } from "../../../src/domain/keys/key.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import { ANIMAL_STATUSES, type AnimalUpdate, animalTag, type NewAnimal } from "../../../src/domain/stock/animal.ts";
import { type OrderStatus, orderTag } from "../../../src/domain/stock/order.ts";
import type { Store } from "../../../src/store/ports/store.ts";
import { SIGNED } from "../../harness/rows/author.ts";
import { doneValue } from "./store.contract.ts";

const REX: NewAnimal = { name: "Rex", categoryId: 7n, status: "available" };
const NOW = Date.parse("2027-03-01T12:00:00Z");

/** To be compared with results of any kind. */
const refused = (kind: string) => ({ kind: "refused", reason: { kind } }) as never;
const replayed = (value: unknown) => ({ kind: "replay", content: { kind: "value", value } }) as never;

/** The contract of updates and deletions of animals, which every adapter runs. `open` returns a new, empty store. */
export function updatesContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: updates and removals`, () => {
    const create = async (store: Store, animal: Partial<NewAnimal> = {}) =>
      doneValue(await store.animals.create({ ...REX, ...animal }));
    const order = async (store: Store, animalId: bigint, ...moves: OrderStatus[]) => {
      let placed = doneValue(await store.orders.place({ animalId, nowMs: NOW }));
      for (const to of moves) placed = doneValue(await store.orders.update({ orderId: placed.id, to, nowMs: NOW }));
      return placed;
    };
    const keyIn = async (store: Store): Promise<IdempotencyKey> => {
      const key = newKey({ name: "k", plan: "pro", quotas: PLANS.pro, createdAtMs: NOW, expiresAtMs: undefined });
      await store.keys.create({ ...SIGNED, key, digest: key.id });
      return { keyId: key.id, value: "v", fingerprint: "f", nowMs: NOW };
    };

    test("an update changes what it has, over all of int64 and Unicode, and nothing else", async () => {
      const store = await open();
      const other = await create(store, { name: "Mia" });
      let animal = await create(store);
      const update = fc.record(
        {
          name: fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }).filter((text) => !/\p{Cc}/u.test(text)),
          categoryId: fc.oneof(fc.constantFrom(INT64_MIN, INT64_MAX), fc.bigInt({ min: INT64_MIN, max: INT64_MAX })),
          status: fc.constantFrom(...ANIMAL_STATUSES),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(update, async (change) => {
          const expected = { ...animal, ...change };
          expect(await store.animals.update({ id: animal.id, ...change })).toEqual({ kind: "done", value: expected });
          expect(await store.animals.get(animal.id)).toEqual(expected);
          animal = expected;
        }),
        { numRuns: 40 },
      );
      expect(await store.animals.get(other.id)).toEqual(other);
      await store.close();
    });

    test("lists follow an update at once, by status and by category", async () => {
      const store = await open();
      const { id } = await create(store);
      await store.animals.update({ id, categoryId: 8n, status: "sold" });
      const found = async (query: object) => (await store.animals.list({ size: 5, ...query })).rows.length;
      expect(await found({ status: "available" })).toBe(0);
      expect(await found({ categoryId: 7n })).toBe(0);
      expect(await found({ status: "sold" })).toBe(1);
      expect(await found({ categoryId: 8n })).toBe(1);
      await store.close();
    });

    test("what is not there can be neither updated nor removed", async () => {
      const store = await open();
      for (const id of [1n, 0n, INT64_MIN, INT64_MAX]) {
        expect(await store.animals.update({ id, name: "Mia" })).toEqual(refused("no_such_animal"));
        expect(await store.animals.update({ id, name: "Mia", precondition: "exists" })).toEqual(
          refused("no_such_animal"),
        );
        expect(await store.animals.delete({ id })).toEqual(refused("no_such_animal"));
        expect(await store.orders.get(id)).toBeUndefined();
      }
      await store.close();
    });

    test("while an order is open the status stays, and before and after it may be anything", async () => {
      const store = await open();
      for (const moves of [[], ["approved"]] as OrderStatus[][]) {
        const { id } = await create(store);
        const held = await order(store, id, ...moves);
        for (const status of ["available", "sold"] as const)
          expect(await store.animals.update({ id, name: "no", status })).toEqual(refused("in_order"));
        expect(await store.animals.get(id)).toEqual({ ...REX, id, status: "pending" });
        const renamed = { id, name: "Mia", categoryId: -1n, status: "pending" as const };
        expect(await store.animals.update(renamed)).toEqual({ kind: "done", value: renamed });
        await store.orders.update({ orderId: held.id, to: "cancelled", nowMs: NOW });
        for (const status of ["sold", "pending", "available"] as const)
          expect(await store.animals.update({ id, status })).toMatchObject({ kind: "done", value: { status } });
      }
      await store.close();
    });

    test("an animal that came back is available again, and is sold once more", async () => {
      const store = await open();
      const { id } = await create(store);
      for (let sale = 0; sale < 3; sale++) {
        await order(store, id, "approved", "delivered");
        expect((await store.animals.get(id))?.status).toBe("sold");
        expect(await store.animals.update({ id, status: "available" })).toMatchObject({ kind: "done" });
      }
      expect((await store.orders.list({ animalId: id, status: "delivered", size: 5 })).rows).toHaveLength(3);
      await store.close();
    });

    test("a removed animal is gone, and its id is never used again", async () => {
      const store = await open();
      const first = await create(store);
      const last = await create(store, { name: "Mia" });
      expect(await store.animals.delete({ id: last.id })).toEqual({ kind: "done", value: last });
      expect(await store.animals.get(last.id)).toBeUndefined();
      expect((await store.animals.list({ size: 5 })).rows).toEqual([first]);
      expect(await store.animals.delete({ id: last.id })).toEqual(refused("no_such_animal"));
      expect(await store.orders.place({ animalId: last.id, nowMs: NOW })).toEqual(refused("no_such_animal"));
      expect((await create(store)).id).toBeGreaterThan(last.id);
      await store.close();
    });

    test("an animal with an order stays, whatever became of the order", async () => {
      const store = await open();
      for (const moves of [[], ["approved"], ["cancelled"], ["approved", "delivered"]] as OrderStatus[][]) {
        const { id } = await create(store);
        await order(store, id, ...moves);
        const before = await store.animals.get(id);
        expect(await store.animals.delete({ id })).toEqual(refused("has_orders"));
        expect(await store.animals.get(id)).toEqual(before);
      }
      await store.close();
    });

    test("a precondition is judged by what is there, after whether it is there and before the rule", async () => {
      const store = await open();
      const animal = await create(store);
      const tags = [animalTag(animal)];
      const updated = doneValue(
        await store.animals.update({ id: animal.id, name: "Mia", precondition: { tags: ["x", ...tags] } }),
      );
      for (const precondition of [{ tags }, { tags: [] }]) {
        expect(await store.animals.update({ id: animal.id, name: "Tom", precondition })).toEqual(
          refused("precondition_failed"),
        );
        expect(await store.animals.delete({ id: animal.id, precondition })).toEqual(refused("precondition_failed"));
      }
      const placed = await order(store, animal.id);
      const stale: AnimalUpdate = { id: animal.id, status: "sold", precondition: { tags } };
      expect(await store.animals.update(stale)).toEqual(refused("precondition_failed"));
      expect(await store.animals.update({ ...stale, precondition: "exists" })).toEqual(refused("in_order"));
      expect(await store.animals.delete({ id: animal.id, precondition: "exists" })).toEqual(refused("has_orders"));
      expect(await store.animals.get(animal.id)).toEqual({ ...updated, status: "pending" });

      const move = { orderId: placed.id, nowMs: NOW + 1, precondition: { tags: [orderTag(placed)] } };
      expect(await store.orders.update({ ...move, to: "delivered" })).toMatchObject(refused("invalid_transition"));
      expect(await store.orders.update({ ...move, to: "approved" })).toMatchObject({ kind: "done" });
      expect(await store.orders.update({ ...move, to: "cancelled" })).toEqual(refused("precondition_failed"));
      await store.close();
    });

    test("of copies of an update, a removal or a move, one is carried out and the others get its value", async () => {
      const store = await open();
      const key = await keyIn(store);
      const twenty = <T>(write: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, write));
      for (let round = 0; round < 5; round++) {
        const animal = await create(store);
        const placed = await order(store, (await create(store)).id);
        const named = (what: string): IdempotencyKey => ({ ...key, value: `${what} ${round}` });
        const precondition = { tags: [animalTag(animal)] };
        const updated = { ...animal, name: "Mia", status: "sold" as const };
        const moved = { ...placed, status: "approved" as const, updatedAtMs: NOW + 1 };
        for (const [value, write] of [
          [
            updated,
            () => store.animals.update({ id: animal.id, name: "Mia", status: "sold", precondition }, named("update")),
          ],
          [updated, () => store.animals.delete({ id: animal.id }, named("remove"))],
          [moved, () => store.orders.update({ orderId: placed.id, to: "approved", nowMs: NOW + 1 }, named("move"))],
        ] as const) {
          const results = await twenty<{ kind: string }>(write);
          expect(results.filter(({ kind }) => kind === "done")).toEqual([{ kind: "done", value }] as never);
          expect(results.filter(({ kind }) => kind !== "done")).toEqual(Array(19).fill(replayed(value)));
        }
      }
      await store.close();
    });

    test("a saved value lasts until it is deleted, is told from another request, and is never a refusal", async () => {
      const store = await open();
      const key = await keyIn(store);
      const { id } = await create(store);
      const rename = (text: string, change: Partial<IdempotencyKey> = {}) =>
        store.animals.update({ id, name: text }, { ...key, fingerprint: text, ...change });
      const first = doneValue(await rename("Mia"));
      expect(await rename("Tom")).toEqual({ kind: "mismatch" });
      expect(await store.animals.delete({ id }, { ...key, fingerprint: "delete" })).toEqual({ kind: "mismatch" });
      expect(await store.animals.get(id)).toEqual(first);
      expect(await rename("Mia", { nowMs: NOW + 30 * DAY_MS })).toEqual(replayed(first));
      await store.maintenance.deleteSavedResponses({ savedAtMs: NOW });
      expect(await rename("Tom")).toMatchObject({ kind: "done", value: { name: "Tom" } });
      expect(await rename("Mia")).toEqual({ kind: "mismatch" });

      const held = await order(store, id);
      const sell = () => store.animals.update({ id, status: "sold" }, { ...key, value: "sell" });
      expect(await sell()).toEqual(refused("in_order"));
      await store.orders.update({ orderId: held.id, to: "cancelled", nowMs: NOW });
      expect(await sell()).toMatchObject({ kind: "done" });
      await store.close();
    });

    test("an order is got as it was placed, with its reference or without one", async () => {
      const store = await open();
      const key = await keyIn(store);
      for (const [i, reference] of ["INV-1", '{"$int64":"1"}', "日本 🐕", undefined].entries()) {
        const { id: animalId } = await create(store);
        const wanted = { animalId, nowMs: NOW, ...(reference === undefined ? {} : { reference }) };
        const placed = doneValue(await store.orders.place(wanted, { ...key, value: `${i}` }));
        const expected = { id: placed.id, animalId, status: "placed" as const, placedAtMs: NOW, updatedAtMs: NOW };
        expect(placed).toEqual(reference === undefined ? expected : { ...expected, reference });
        expect(Object.keys(placed)).toHaveLength(reference === undefined ? 5 : 6);
        expect(await store.orders.get(placed.id)).toEqual(placed);
        expect(await store.orders.place(wanted, { ...key, value: `${i}` })).toEqual(replayed(placed));
        const moved = doneValue(await store.orders.update({ orderId: placed.id, to: "approved", nowMs: NOW + 1 }));
        expect(moved).toEqual({ ...placed, status: "approved", updatedAtMs: NOW + 1 });
        expect(await store.orders.get(placed.id)).toEqual(moved);
      }
      await store.close();
    });

    test("of an order and a removal that race, one is carried out", async () => {
      const store = await open();
      for (let round = 0; round < 20; round++) {
        const { id } = await create(store);
        const [placed, removed] = await Promise.all([
          store.orders.place({ animalId: id, nowMs: NOW }),
          store.animals.delete({ id }),
        ]);
        if (removed.kind === "done") {
          expect(placed).toEqual(refused("no_such_animal"));
          expect(await store.animals.get(id)).toBeUndefined();
        } else {
          expect(removed).toEqual(refused("has_orders"));
          expect(placed.kind).toBe("done");
        }
      }
      await store.close();
    });
  });
}
