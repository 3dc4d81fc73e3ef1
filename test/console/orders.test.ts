import { describe, expect, test } from "bun:test";
import { addAnimal } from "../../src/console/resources/animals.ts";
import { issue, remove, revoke } from "../../src/console/resources/keys/keys.ts";
import { getOrder, listOrders, updateOrder } from "../../src/console/resources/orders/orders.ts";
import { SCOPES } from "../../src/domain/keys/scope.ts";
import { ANNA, type Answer, openConsole, type TestConsole } from "../harness/service/console-parts.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { doneValue } from "../store/contract/store.contract.ts";

onEveryStore(({ backend, setUp }) => {
  let desk: TestConsole;
  setUp(async () => {
    desk = await openConsole(backend);
  });
  const issued = async (name: string): Promise<Answer> =>
    (await desk.ask(issue, { form: { name, plan: "pro", scopes: SCOPES, expiresAtMs: null } })).key;

  /** Orders a new animal of this name. Returns the ids of both. */
  async function order(name: string, more: { reference?: string; keyId?: string } = {}) {
    const animal = await desk.ask(addAnimal, { form: { name, categoryId: "1", status: "available" } });
    const placed = await desk.store.orders.place({ animalId: BigInt(animal.id), nowMs: desk.clock.nowMs(), ...more });
    return { orderId: String(doneValue(placed).id), animalId: String(animal.id) };
  }
  const found = async (query: Record<string, string>): Promise<string[]> =>
    (await desk.ask(listOrders, { query })).items.map(({ id }: { id: string }) => id);

  describe("an order", () => {
    test("shows its animal, the key that placed it, and each move with its time and who made it", async () => {
      const key = await issued("Web shop");
      const { orderId, animalId } = await order("Rex", { reference: "INV-1", keyId: key.id });
      const atMs = desk.clock.nowMs();
      await desk.store.orders.update({ orderId: BigInt(orderId), to: "approved", keyId: key.id, nowMs: atMs });
      await desk.ask(updateOrder, { params: { id: orderId }, form: { status: "delivered" } });
      const shop = { kind: "key", id: key.id, name: "Web shop" };
      const shown = await desk.ask(getOrder, { params: { id: orderId } });
      expect(shown).toEqual({
        id: orderId,
        petId: animalId,
        animalName: "Rex",
        reference: "INV-1",
        status: "delivered",
        placedAtMs: atMs,
        updatedAtMs: atMs,
        steps: [
          { status: "placed", atMs, by: shop },
          { status: "approved", atMs, by: shop },
          { status: "delivered", atMs, by: { kind: "person", by: "Anna 🐾", via: "console", role: "operator" } },
        ],
      });
      // For a clerk a key has a name and nothing else.
      const clerk = await getOrder(desk.parts, { ...ANNA, role: "clerk" }, { params: { id: orderId } } as never);
      expect(clerk).toMatchObject({ steps: [{ by: { kind: "key", id: null, name: "Web shop" } }, {}, {}] });
      expect(JSON.stringify(clerk)).not.toContain(key.id);
      // A deleted key has no name left.
      await desk.ask(revoke, { params: key, form: { name: "Web shop" } });
      desk.clock.advance(60_000);
      expect(await desk.ask(remove, { params: key, form: { name: "Web shop" } })).toBeUndefined();
      expect((await desk.ask(getOrder, { params: { id: orderId } })).steps[0].by).toEqual({ ...shop, name: null });
    });

    test("of release 1.1.0, or moved by one beside us, says what is not recorded", async () => {
      const { orderId } = await order("Old");
      const run = (id: string) => desk.ask(getOrder, { params: { id } });
      expect((await run(orderId)).steps).toMatchObject([{ status: "placed", by: null }]);
      await desk.store.orders.update({ orderId: BigInt(orderId), to: "approved", nowMs: desk.clock.nowMs() });
      await desk.ask(updateOrder, { params: { id: orderId }, form: { status: "delivered" } });
      expect((await run(orderId)).steps).toMatchObject([
        { status: "placed", by: null },
        { status: "approved", by: null, atMs: null },
        { status: "delivered", by: { by: "Anna 🐾" } },
      ]);
    });

    test.each([{ id: "4711" }, { id: "x" }, { id: "01" }, {}])("with the id %p is not found", async (params) => {
      expect(await desk.ask(getOrder, { params })).toMatchObject({ status: 404, code: "order_not_found" });
    });
  });

  describe("a search for orders", () => {
    test("finds ids, whole references, and animals by id and by how their names begin", async () => {
      const first = await order("Zora", { reference: "ZX-1" });
      const second = await order("ZORAH", { reference: "ZX-10" });
      const third = await order("Ümit", { reference: first.orderId });
      expect(await found({ search: "ZX-1" })).toEqual([first.orderId]);
      expect(await found({ search: "zx-1" })).toEqual([]);
      expect(await found({ search: "zora" })).toEqual([second.orderId, first.orderId]);
      expect(await found({ search: "zorah" })).toEqual([second.orderId]);
      expect(await found({ search: "u\u0308M" })).toEqual([third.orderId]);
      // A number is an order, a reference and an animal, each order once.
      expect(await found({ search: first.orderId })).toContain(first.orderId);
      expect(await found({ search: first.orderId })).toContain(third.orderId);
      expect(await found({ search: second.animalId })).toContain(second.orderId);
      expect(await found({ search: "zora", status: "approved" })).toEqual([]);
      expect(await found({ search: "zora", status: "placed" })).toHaveLength(2);
      expect(await found({ search: "nobody's" })).toEqual([]);
      expect(await found({ search: "9223372036854775807" })).toEqual([]);
      expect(await found({ search: "'; DROP TABLE orders; --" })).toEqual([]);
    });

    test("is paged by id, without gaps and repetitions, and says when animals are left out", async () => {
      const reference = "of many";
      const ids: string[] = [];
      for (let i = 0; i < 60; i++) ids.push((await order("Many of them", { reference })).orderId);
      const query = { search: reference };
      const first = await desk.ask(listOrders, { query });
      expect([first.items.length, first.hasMoreAnimals]).toEqual([50, false]);
      const rest = await desk.ask(listOrders, { query: { ...query, cursor: first.next } });
      expect([rest.items.length, rest.next]).toEqual([10, null]);
      const listed = [...first.items, ...rest.items].map(({ id }: { id: string }) => id);
      expect(listed).toEqual(ids.toReversed());
      const oldest = await desk.ask(listOrders, { query: { ...query, sort: "id" } });
      const later = await desk.ask(listOrders, { query: { ...query, sort: "id", cursor: oldest.next } });
      expect([...oldest.items, ...later.items].map(({ id }: { id: string }) => id)).toEqual(ids);
      const byName = await desk.ask(listOrders, { query: { search: "many" } });
      expect([byName.items.length, byName.hasMoreAnimals]).toEqual([8, true]);
    });

    test.each([
      [{ search: "x".repeat(256) }, "search"],
      [{ search: "a\u0000b" }, "search"],
      [{ search: "\u200b" }, "search"],
      [{ search: "x", petId: "1" }, "search"],
      [{ search: "x", cursor: "none" }, "cursor"],
      [{ search: "x", status: "sold" }, "status"],
      [{ sort: "placed" }, "sort"],
    ])("with %p is refused", async (query, field) => {
      expect(await desk.ask(listOrders, { query })).toMatchObject({ status: 400, field });
    });
  });
});
