import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { encodeCursor } from "../../src/domain/page.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { issueBoundlessKey, serve } from "../harness/program/program.ts";
import { BORN, BROKEN_SALES, UPDATED } from "../harness/requests/orders.ts";

import { onEveryStore, querySqlite } from "../harness/service/stores.ts";

const PETS = 4;

const status = fc.constantFrom("available", "pending", "sold");

/** A call about one of the existing animals or orders, by index. */
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("place" as const), pet: fc.nat(PETS) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      order: fc.nat(15),
      to: fc.constantFrom("placed", "approved", "delivered", "cancelled"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("update" as const), pet: fc.nat(PETS), status }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("recategorize" as const), pet: fc.nat(PETS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), pet: fc.nat(PETS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("create" as const), status }) },
);

type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;

/** Batches of concurrent calls. */
const script = fc.array(fc.array(action, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 });

/** The request for an action, given the ids of animals and orders. */
function requestFor(step: Action, petId: (pet: number) => number, orderId: (order: number) => number) {
  switch (step.kind) {
    case "create": {
      const name = step.status === "available" ? "Rex" : `${BORN}${step.status}`;
      return { line: "POST /pets", body: { name, categoryId: 1, status: step.status } };
    }
    case "update":
      return { line: `PATCH /pets/${petId(step.pet)}`, body: { name: UPDATED, status: step.status } };
    case "recategorize":
      return { line: `PATCH /pets/${petId(step.pet)}`, body: { categoryId: 2 } };
    case "delete":
      return { line: `DELETE /pets/${petId(step.pet)}` };
    case "place":
      return { line: "POST /store/orders", body: { petId: petId(step.pet) } };
    case "move":
      return { line: `PATCH /store/orders/${orderId(step.order)}`, body: { status: step.to } };
  }
}

/** A simple model of the rules of sales. */
class Model {
  /** Undefined if deleted. */
  readonly pets: (string | undefined)[] = [];
  readonly orders: { pet: number; status: string }[] = [];

  take(step: Action): number {
    switch (step.kind) {
      case "create":
        this.pets.push(step.status);
        return 201;
      case "update":
        return this.update(step.pet, step.status);
      case "recategorize":
        return this.pets[step.pet] === undefined ? 404 : 200;
      case "delete":
        return this.delete(step.pet);
      case "place":
        return this.place(step.pet);
      case "move":
        return this.move(step.order, step.to);
    }
  }

  private update(pet: number, to: string): number {
    if (this.pets[pet] === undefined) return 404;
    const isOpen = this.orders.some((order) => order.pet === pet && ["placed", "approved"].includes(order.status));
    if (isOpen && to !== this.pets[pet]) return 409;
    this.pets[pet] = to;
    return 200;
  }

  private delete(pet: number): number {
    if (this.pets[pet] === undefined) return 404;
    if (this.orders.some((order) => order.pet === pet)) return 409;
    this.pets[pet] = undefined;
    return 204;
  }

  private place(pet: number): number {
    const status = this.pets[pet];
    if (status === undefined) return 400;
    if (status !== "available") return 409;
    this.pets[pet] = "pending";
    this.orders.push({ pet, status: "placed" });
    return 201;
  }

  private move(index: number, to: string): number {
    const order = this.orders[index];
    if (!order) return 404;
    const change = `${order.status} ${to}`;
    const after = {
      "placed approved": "pending",
      "placed cancelled": "available",
      "approved delivered": "sold",
      "approved cancelled": "available",
    }[change];
    if (!after) return 409;
    order.status = to;
    this.pets[order.pet] = after;
    return 200;
  }
}

const cursorAfter = (id: number): string => encodeCursor({ id: BigInt(id) });

onEveryStore(({ startService, backend }) => {
  test("no parallel sequence of calls breaks a sale", async () => {
    const service = await startService();
    const addPet = async () =>
      (await service.call("POST /pets", { body: { name: "Rex", categoryId: 1 } })).json.id as number;
    await fc.assert(
      fc.asyncProperty(script, async (rounds) => {
        const pets = await Promise.all(Array.from({ length: PETS }, addPet));
        const orders: number[] = [];
        for (const round of rounds) {
          const answers = await Promise.all(
            round.map((step) => {
              const { line, body } = requestFor(
                step,
                (pet) => pets[pet] ?? 0,
                (order) => orders[order % Math.max(1, orders.length)] ?? 0,
              );
              return service.call(line, body ? { body } : {});
            }),
          );
          for (const [i, { status, json }] of answers.entries()) {
            expect([200, 201, 204, 400, 404, 409]).toContain(status);
            if (round[i]?.kind === "place" && status === 201) orders.push(json.id);
          }
        }
        expect(await backend.query(service.storage, BROKEN_SALES)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test("one call after the other, a model foretells every answer and every status", async () => {
    const alone = await startService();
    let firstPet = 1;
    let firstOrder = 1;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 40 }), async (steps) => {
        const model = new Model();
        for (const any of steps) {
          const step = any.kind === "move" ? { ...any, order: any.order % 5 } : any;
          const { line, body } = requestFor(
            step,
            (pet) => firstPet + pet,
            (order) => firstOrder + order,
          );
          expect([line, (await alone.call(line, body ? { body } : {})).status]).toEqual([line, model.take(step)]);
        }
        const pets = (await alone.call(`GET /pets?limit=100&cursor=${cursorAfter(firstPet - 1)}`)).json;
        expect(pets.map((pet: { id: number; status: string }) => [pet.id - firstPet, pet.status])).toEqual(
          [...model.pets.entries()].filter(([, status]) => status !== undefined),
        );
        const orders = (await alone.call(`GET /store/orders?limit=100&cursor=${cursorAfter(firstOrder - 1)}`)).json;
        expect(
          orders.map((order: { petId: number; status: string }) => ({
            pet: order.petId - firstPet,
            status: order.status,
          })),
        ).toEqual(model.orders);
        firstPet += model.pets.length;
        firstOrder += model.orders.length;
      }),
      { numRuns: 80, endOnFailure: true },
    );
    expect(await backend.query(alone.storage, BROKEN_SALES)).toEqual([]);
  });

  test("of 100 updates and 100 orders that race, every answer can be explained", async () => {
    const service = await startService();
    const pets: number[] = [];
    for (let i = 0; i < 20; i++)
      pets.push((await service.call("POST /pets", { body: { name: "Rex", categoryId: 1 } })).json.id);
    const calls = Array.from({ length: 100 }, (_, i) => {
      const pet = pets[i % pets.length] as number;
      const status = ["sold", "available", "pending"][i % 3] as string;
      return [
        service.call(`PATCH /pets/${pet}`, { body: { name: UPDATED, status } }),
        service.call("POST /store/orders", { body: { petId: pet, reference: `race ${i}` } }),
      ] as const;
    });
    const updates = await Promise.all(calls.map(([update]) => update));
    const orders = await Promise.all(calls.map(([, order]) => order));
    expect(await backend.query(service.storage, BROKEN_SALES)).toEqual([]);

    for (const [i, pet] of pets.entries()) {
      const of = <T>(all: readonly T[]) => all.filter((_, call) => call % pets.length === i);
      const placed = of(orders).filter(({ status }) => status === 201);
      // An open order stays open, since nobody moves it: it is the only one, and no status is updated after it.
      expect(placed.length).toBeLessThanOrEqual(1);
      for (const { json } of of(orders).filter(({ status }) => status !== 201))
        expect(json).toMatchObject({ code: "pet_not_available", status: 409 });
      const { json: now } = await service.call(`GET /pets/${pet}`);
      for (const { status, json } of of(updates))
        if (status === 409) expect([json.code, placed.length]).toEqual(["pet_in_order", 1]);
        else expect([status, json.id]).toEqual([200, pet]);
      if (placed.length === 1) expect(now.status).toBe("pending");
      else expect(of(updates).map(({ json }) => json.status)).toContain(now.status);
    }
  });

  test("of updates, removals, orders and moves that race, no order is left without its animal", async () => {
    const service = await startService();
    for (let round = 0; round < 10; round++) {
      const pets = await Promise.all(
        Array.from({ length: 5 }, () => service.call("POST /pets", { body: { name: "Rex", categoryId: 1 } })),
      );
      const answers = await Promise.all(
        pets.flatMap(({ json: { id } }) => [
          service.call("POST /store/orders", { body: { petId: id } }),
          service.call(`DELETE /pets/${id}`),
          service.call(`PATCH /pets/${id}`, { body: { categoryId: 2 } }),
          service.call(`DELETE /pets/${id}`),
        ]),
      );
      for (let pet = 0; pet < pets.length; pet++) {
        const [placed, removed, updated, removedAgain] = answers.slice(4 * pet).map(({ status }) => status);
        const isRemoved = removed === 204 || removedAgain === 204;
        expect(placed).toBe(isRemoved ? 400 : 201);
        expect([removed, removedAgain].sort()).toEqual(isRemoved ? [204, 404] : [409, 409]);
        expect(isRemoved ? [200, 404] : [200]).toContain(updated as number);
      }
    }
    expect(await backend.query(service.storage, BROKEN_SALES)).toEqual([]);
  });
});

test("no kill -9 between calls breaks a sale", async () => {
  const cwd = temporaryFolder();
  const database = join(cwd, "data/animal-store.db");
  const secret = await issueBoundlessKey({ cwd });
  const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
  for (let round = 0; round < 4; round++) {
    const service = await serve({ cwd });
    let isOver = false;
    let done = 0;
    const send = async (method: string, target: string, body: unknown) => {
      const response = await fetch(`${service.origin}/v1${target}`, { method, headers, body: JSON.stringify(body) });
      done++;
      return (await response.json()) as { id: number };
    };
    const sellers = Array.from({ length: 8 }, async (_, seller) => {
      try {
        for (let i = 0; !isOver; i++) {
          const { id: petId } = await send("POST", "/pets", { name: "Rex", categoryId: seller });
          const { id } = await send("POST", "/store/orders", { petId });
          if (i % 4 === 0) continue;
          if (i % 4 === 1) await send("PATCH", `/store/orders/${id}`, { status: "cancelled" });
          else await send("PATCH", `/store/orders/${id}`, { status: "approved" });
          if (i % 4 === 3) await send("PATCH", `/store/orders/${id}`, { status: "delivered" });
          await send("PATCH", `/pets/${petId}`, { categoryId: -1 });
          if (i % 4 === 1) await send("PATCH", `/pets/${petId}`, { name: UPDATED, status: "sold" });
        }
      } catch {
        // The service was killed.
      }
    });
    while (done < 150 + round * 37) await Bun.sleep(1);
    await service.kill("SIGKILL");
    isOver = true;
    await Promise.all(sellers);
    expect(querySqlite(database, BROKEN_SALES)).toEqual([]);
  }
});
