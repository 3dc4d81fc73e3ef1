import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { encodeCursor } from "../src/domain/page.ts";
import { temporaryFolder } from "./harness/folder.ts";
import { BROKEN_SALES } from "./harness/orders.ts";
import { issueBoundlessKey, serve } from "./harness/program.ts";

import { onEveryStore, querySqlite } from "./harness/stores.ts";

const PETS = 4;

/** A call, by small numbers: which animal or which order of those that there are. */
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
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("create" as const),
      status: fc.constantFrom("available", "pending", "sold"),
    }),
  },
);

/** Some calls at once, then some more at once, and so on. */
const script = fc.array(fc.array(action, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 });

/** The rules of sales once more, in the simplest way. */
class Model {
  readonly pets: string[] = [];
  readonly orders: { pet: number; status: string }[] = [];

  create(status: string): number {
    this.pets.push(status);
    return 201;
  }

  place(pet: number): number {
    const status = this.pets[pet];
    if (status === undefined) return 400;
    if (status !== "available") return 409;
    this.pets[pet] = "pending";
    this.orders.push({ pet, status: "placed" });
    return 201;
  }

  move(index: number, to: string): number {
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

const cursorAfter = (id: number): string => encodeCursor(BigInt(id));

onEveryStore(({ startService, backend }) => {
  test("no parallel sequence of calls breaks a sale", async () => {
    const service = await startService();
    const post = (target: string, body: unknown) => service.call(`POST ${target}`, { body });
    await fc.assert(
      fc.asyncProperty(script, async (rounds) => {
        const first = (await post("/pets", { name: "Rex", categoryId: 1 })).json.id as number;
        for (let i = 1; i < PETS; i++) await post("/pets", { name: "Rex", categoryId: 1 });
        const orders: number[] = [];
        for (const round of rounds) {
          const answers = await Promise.all(
            round.map((step) => {
              if (step.kind === "create") {
                const name = step.status === "available" ? "Rex" : `born ${step.status}`;
                return post("/pets", { name, categoryId: 1, status: step.status });
              }
              if (step.kind === "place") return post("/store/orders", { petId: first + step.pet });
              const order = orders[step.order % Math.max(1, orders.length)] ?? 0;
              return service.call(`PATCH /store/orders/${order}`, { body: { status: step.to } });
            }),
          );
          for (const [i, { status, json }] of answers.entries()) {
            expect([200, 201, 400, 404, 409]).toContain(status);
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
        for (const step of steps) {
          if (step.kind === "create") {
            expect(
              (await alone.call("POST /pets", { body: { name: "Rex", categoryId: 1, status: step.status } })).status,
            ).toBe(model.create(step.status));
          } else if (step.kind === "place") {
            expect((await alone.call("POST /store/orders", { body: { petId: firstPet + step.pet } })).status).toBe(
              model.place(step.pet),
            );
          } else {
            const index = step.order % 5;
            expect(
              (await alone.call(`PATCH /store/orders/${firstOrder + index}`, { body: { status: step.to } })).status,
            ).toBe(model.move(index, step.to));
          }
        }
        const pets = (await alone.call(`GET /pets?limit=100&cursor=${cursorAfter(firstPet - 1)}`)).json;
        expect(pets.map((pet: { status: string }) => pet.status)).toEqual(model.pets);
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
      { numRuns: 60, endOnFailure: true },
    );
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
