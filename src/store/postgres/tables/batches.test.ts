import { describe, expect, test } from "bun:test";
import type { NewAnimal } from "../../../domain/stock/animal.ts";
import { StoreUnavailable } from "../../ports/store.ts";
import type { Pool } from "../database.ts";
import { Batches } from "./batches.ts";
import { plainCreations } from "./creations.ts";
import { carryOut } from "./idempotency.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Batches of numbers whose end the test decides. */
function batching(options: { maxSize?: number; maxInProgress?: number } = {}) {
  const begun: { readonly items: readonly number[]; end: () => void; fail: (error: Error) => void }[] = [];
  const batches = new Batches<number, string>({
    maxSize: 10,
    maxInProgress: 1,
    ...options,
    run: async (items) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      begun.push({ items, end: resolve, fail: reject });
      await promise;
      return items.map((item) => `value of ${item}`);
    },
  });
  return { batches, begun, items: () => begun.map(({ items }) => [...items]) };
}

describe("batches", () => {
  test("begin at the end of the turn, with all that arrived in it", async () => {
    const { batches, begun, items } = batching();
    const values = Promise.all([1, 2, 3].map((item) => batches.add(item)));
    expect(begun).toEqual([]);
    await turn();
    expect(items()).toEqual([[1, 2, 3]]);
    begun[0]?.end();
    expect(await values).toEqual(["value of 1", "value of 2", "value of 3"]);
  });

  test("gather what arrives while as many as may be are in progress", async () => {
    const { batches, begun, items } = batching({ maxInProgress: 2 });
    const values = [1, 2, 3, 4].map(async (item) => {
      for (let i = 0; i < item; i++) await turn();
      return batches.add(item);
    });
    for (let i = 0; i < 6; i++) await turn();
    expect(items()).toEqual([[1], [2]]);
    begun[1]?.end();
    await turn();
    expect(items()).toEqual([[1], [2], [3, 4]]);
    begun[0]?.end();
    begun[2]?.end();
    expect(await Promise.all(values)).toEqual([1, 2, 3, 4].map((item) => `value of ${item}`));
  });

  test("are bounded in size, and everyone gets the value of their own item", async () => {
    const batches = new Batches<number, number>({
      maxSize: 7,
      maxInProgress: 2,
      run: async (items) => {
        expect(items.length).toBeLessThanOrEqual(7);
        return items.map((item) => item * 2);
      },
    });
    const items = Array.from({ length: 500 }, (_, i) => i);
    expect(await Promise.all(items.map((item) => batches.add(item)))).toEqual(items.map((item) => item * 2));
  });

  test("that fail are told to everyone in them, and do not stop the next one", async () => {
    const { batches, begun } = batching();
    const failing = Promise.allSettled([batches.add(1), batches.add(2)]);
    await turn();
    const later = batches.add(3);
    begun[0]?.fail(new Error("gone"));
    expect((await failing).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    begun[1]?.end();
    expect(await later).toBe("value of 3");
  });

  test("that do not end are not waited for by those that come after", async () => {
    const { batches, begun, items } = batching({ maxSize: 2 });
    const stuck = batches.add(1);
    await turn();
    const later = Promise.all([2, 3, 4, 5].map((item) => batches.add(item)));
    while (begun.length < 3) await Bun.sleep(5);
    expect(items()).toEqual([[1], [2, 3], [4, 5]]);
    for (const { end } of begun.slice(1)) end();
    expect(await later).toEqual([2, 3, 4, 5].map((item) => `value of ${item}`));
    begun[0]?.end();
    expect(await stuck).toBe("value of 1");
    // From then on, one at a time again.
    const next = [6, 7, 8].map((item) => batches.add(item));
    await turn();
    expect(items().slice(3)).toEqual([[6, 7]]);
    begun[3]?.end();
    await turn();
    begun[4]?.end();
    expect(await Promise.all(next)).toHaveLength(3);
  });

  test("beyond what may wait, load is shed: nothing is changed", async () => {
    const { batches, begun } = batching({ maxSize: 100_000 });
    void batches.add(0);
    await turn();
    const waiting = Array.from({ length: 10_000 }, (_, i) => batches.add(i));
    expect(await batches.add(1).catch((error: unknown) => error)).toMatchObject({
      name: "StoreUnavailable",
      changed: "nothing",
    });
    begun[0]?.end();
    await turn();
    begun[1]?.end();
    expect(await Promise.all(waiting)).toHaveLength(10_000);
  });
});

test("what has waited for too long is never sent, and is told that nothing is changed", async () => {
  const { batches, begun, items } = batching();
  const old = batches.add(1).catch((error: unknown) => error);
  Bun.sleepSync(1_050);
  const recent = batches.add(2);
  expect(await old).toMatchObject({ name: "StoreUnavailable", changed: "nothing" });
  expect(items()).toEqual([[2]]);
  begun[0]?.end();
  expect(await recent).toBe("value of 2");
});

test("a write that others keep getting in the way of is given up in time", async () => {
  const pool = { read: async () => [] } as unknown as Pool;
  let attempts = 0;
  const attempt = async () => {
    attempts++;
    await Bun.sleep(400);
    return undefined;
  };
  expect(await carryOut(pool, { attempt }, undefined).catch((error: unknown) => error)).toMatchObject({
    changed: "nothing",
  });
  // No further one is begun after a second and a half.
  expect(attempts).toBeLessThanOrEqual(4);
});

/** Promises that were rejected while nobody looked at them, which would end the service. */
async function unhandledDuring(work: () => Promise<unknown>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on("unhandledRejection", note);
  await work();
  await turn();
  process.off("unhandledRejection", note);
  return unhandled;
}

describe("a batch that comes to promises", () => {
  test("of which all are rejected at once leaves none of them unhandled", async () => {
    const batches = new Batches<number, number>({
      maxSize: 64,
      maxInProgress: 1,
      run: async (items) => items.map((item) => Promise.reject(new Error(`no ${item}`))),
    });
    const items = Array.from({ length: 64 }, (_, i) => i);
    let results: PromiseSettledResult<number>[] = [];
    const work = async () => {
      results = await Promise.allSettled(items.map((item) => batches.add(item)));
    };
    expect(await unhandledDuring(work)).toEqual([]);
    expect(results.map((result) => result.status === "rejected" && result.reason.message)).toEqual(
      items.map((item) => `no ${item}`),
    );
  });
});

describe("creations of a batch that was blocked", () => {
  const ANIMALS = Array.from({ length: 64 }, (_, i): NewAnimal => ({ name: `${i}`, categoryId: 1n, status: "sold" }));

  /** Its first statement, which creates all of them, waits for a lock in vain. */
  function blockedPool(alone: (name: unknown) => Promise<unknown>): Pool {
    let isFirst = true;
    const write = async (_: string, [name]: readonly unknown[]) => {
      if (!isFirst) return [await alone(name)];
      isFirst = false;
      throw new StoreUnavailable("blocked", { cause: { errno: "55P03" } });
    };
    return { write } as unknown as Pool;
  }

  test("are tried alone, a few at a time", async () => {
    let [atOnce, most] = [0, 0];
    const creations = plainCreations(
      blockedPool(async (name) => {
        most = Math.max(most, ++atOnce);
        await turn();
        atOnce--;
        return { id: BigInt(String(name)) };
      }),
    );
    const created = await Promise.all(ANIMALS.map((animal) => creations.add(animal)));
    expect(created.map(({ id }) => id)).toEqual(ANIMALS.map(({ name }) => BigInt(name)));
    expect(most).toBe(8);
  });

  test("that the pool refuses at once are refused, and nothing more", async () => {
    const creations = plainCreations(blockedPool(() => Promise.reject(new StoreUnavailable("closed"))));
    let results: PromiseSettledResult<unknown>[] = [];
    const work = async () => {
      results = await Promise.allSettled(ANIMALS.map((animal) => creations.add(animal)));
    };
    expect(await unhandledDuring(work)).toEqual([]);
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
  });

  test("are given up while others keep all of the turns: nothing is changed", async () => {
    const creations = plainCreations(blockedPool(() => Bun.sleep(600).then(() => ({ id: 1n }))));
    const results = await Promise.allSettled(ANIMALS.map((animal) => creations.add(animal)));
    const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(failed).toHaveLength(ANIMALS.length - 8);
    for (const error of failed) expect(error).toMatchObject({ name: "StoreUnavailable", changed: "nothing" });
  });
});
