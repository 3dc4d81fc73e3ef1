import { describe, expect, test } from "bun:test";
import type { IdempotencyKey } from "../../../src/domain/idempotency.ts";
import { digestOf, newKey } from "../../../src/domain/keys/key.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import type { Store } from "../../../src/store/ports/store.ts";
import { SIGNED } from "../../harness/rows/author.ts";
import { doneValue } from "./store.contract.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");
const ANNA = { by: 'Anna, "the desk" 🐾', via: "console" } as const;

/** Every adapter records who places and moves orders in this way. `open` returns a new, empty store. */
export function ordersContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: the history of an order`, () => {
    const newAnimal = async ({ animals }: Store) =>
      doneValue(await animals.create({ name: "Rex", categoryId: 7n, status: "available" })).id;

    async function idempotencyKeyIn({ keys }: Store): Promise<IdempotencyKey> {
      const named = { name: "Desk", plan: "pro", quotas: PLANS.pro, createdAtMs: NOW, expiresAtMs: undefined } as const;
      const key = newKey(named);
      await keys.create({ ...SIGNED, key, digest: digestOf(key.id) });
      return { keyId: key.id, value: "once", fingerprint: "f", nowMs: NOW };
    }

    test("has the key that placed it, and each move with its time and whoever made it", async () => {
      const store = await open();
      const key = await idempotencyKeyIn(store);
      const { keyId } = key;
      for (const idempotencyKey of [undefined, key]) {
        const animalId = await newAnimal(store);
        const place = () => store.orders.place({ animalId, keyId, nowMs: NOW, reference: "r" }, idempotencyKey);
        const order = doneValue(await place());
        expect(order).toEqual({ ...order, reference: "r", placedAtMs: NOW });
        expect(Object.keys(order).sort()).toEqual(
          ["animalId", "id", "placedAtMs", "reference", "status", "updatedAtMs"].sort(),
        );
        const { id: orderId } = order;
        expect(await store.orders.getRecord(orderId)).toEqual({ order, placedBy: keyId, moves: [] });

        const move = { orderId, to: "approved", keyId, nowMs: NOW + 1 } as const;
        const once = idempotencyKey && { ...key, value: "move" };
        const approved = doneValue(await store.orders.update(move, once));
        // A retry is answered again, and recorded once.
        if (once) expect(await store.orders.update(move, once)).toMatchObject({ kind: "replay" });
        const author = { ...ANNA, atMs: NOW + 2 };
        const delivered = doneValue(await store.orders.update({ orderId, to: "delivered", nowMs: NOW + 2, author }));
        expect(await store.orders.update({ ...move, to: "cancelled" })).toMatchObject({ kind: "refused" });
        expect(await store.orders.getRecord(orderId)).toEqual({
          order: delivered,
          placedBy: keyId,
          moves: [
            { from: "placed", to: "approved", atMs: NOW + 1, by: { keyId } },
            { from: "approved", to: "delivered", atMs: NOW + 2, by: ANNA },
          ],
        });
        // Clients and lists get what they got before there were histories.
        expect(approved).toEqual({ ...order, status: "approved", updatedAtMs: NOW + 1 });
        expect(await store.orders.get(orderId)).toEqual(delivered);
        expect((await store.orders.list({ animalId, size: 5 })).rows).toEqual([delivered]);
      }
      expect(await store.orders.getRecord(4711n)).toBeUndefined();
      await store.close();
    });

    test("has nothing of whom nobody named, and a deleted key by its id alone", async () => {
      const store = await open();
      const animalId = await newAnimal(store);
      const { keyId } = await idempotencyKeyIn(store);
      const { id: orderId } = doneValue(await store.orders.place({ animalId, keyId, nowMs: NOW }));
      await store.orders.update({ orderId, to: "approved", keyId, nowMs: NOW });
      await store.orders.update({ orderId, to: "cancelled", nowMs: NOW + 1 });
      await store.keys.revoke({ ...SIGNED, keyId });
      await store.keys.delete({ ...SIGNED, keyId });
      expect(await store.orders.getRecord(orderId)).toMatchObject({
        order: { status: "cancelled" },
        placedBy: keyId,
        moves: [{ from: "placed", to: "approved", by: { keyId } }],
      });
      const { id: nobodys } = doneValue(await store.orders.place({ animalId, nowMs: NOW + 2 }));
      expect(await store.orders.getRecord(nobodys)).toMatchObject({ placedBy: undefined, moves: [] });
      await store.close();
    });

    test("has the time that the order has, though a clock was set back", async () => {
      const store = await open();
      const animalId = await newAnimal(store);
      const { id: orderId } = doneValue(await store.orders.place({ animalId, keyId: "k", nowMs: NOW }));
      await store.orders.update({ orderId, to: "approved", keyId: "k", nowMs: NOW - 5 });
      const record = await store.orders.getRecord(orderId);
      expect([record?.order.updatedAtMs, record?.moves[0]?.atMs]).toEqual([NOW, NOW]);
      await store.close();
    });

    test("of an order that many want to move at once has one move of each kind", async () => {
      const store = await open();
      const animalId = await newAnimal(store);
      const { id: orderId } = doneValue(await store.orders.place({ animalId, keyId: "k", nowMs: NOW }));
      const movers = Array.from({ length: 20 }, (_, i) => i);
      const moves = await Promise.all(
        movers.map((i) => store.orders.update({ orderId, to: "approved", keyId: `k${i}`, nowMs: NOW })),
      );
      const winner = movers.find((i) => moves[i]?.kind === "done");
      expect((await store.orders.getRecord(orderId))?.moves).toEqual([
        { from: "placed", to: "approved", atMs: NOW, by: { keyId: `k${winner}` } },
      ]);
      await store.close();
    });
  });
}
