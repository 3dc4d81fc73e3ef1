import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import fc from "fast-check";
import { DAY_MS } from "../../../src/base/time/clock.ts";
import type { IdempotencyKey } from "../../../src/domain/idempotency.ts";
import { newKey } from "../../../src/domain/keys/key.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import { type Animal, type AnimalStatus, animalTag, type NewAnimal } from "../../../src/domain/stock/animal.ts";
import { ORDER_STATUSES, type OrderStatus } from "../../../src/domain/stock/order.ts";
import type { Store } from "../../../src/store/ports/store.ts";
import { POSTGRES } from "../../../src/store/postgres/connections/dialect.ts";
import { openPool, type Pool } from "../../../src/store/postgres/database.ts";
import { openForServing } from "../../../src/store/postgres/store.ts";
import { GET_SEVERAL, postgresAnimals } from "../../../src/store/postgres/tables/animals.ts";
import { CREATE_ONCE, CREATE_SEVERAL } from "../../../src/store/postgres/tables/creations.ts";
import { SAVE } from "../../../src/store/postgres/tables/idempotency.ts";
import { PLACE, PLACE_ONCE, postgresOrders, TRANSITIONS } from "../../../src/store/postgres/tables/orders.ts";
import { MIGRATES } from "../../../src/store/schema/migrate.ts";
import { animalStatements } from "../../../src/store/sql/tables/animals.ts";
import { until } from "../../harness/meters/redis.ts";
import { BROKEN_SALES, UPDATED } from "../../harness/requests/orders.ts";
import { SIGNED } from "../../harness/rows/author.ts";
import { databaseMaker } from "../../harness/servers/postgres.ts";
import { doneValue } from "../contract/store.contract.ts";

const newDatabase = await databaseMaker();
const ANIMALS = animalStatements(POSTGRES);
const NOW = Date.parse("2027-03-01T12:00:00Z");
const REX: NewAnimal = { name: "Rex", categoryId: 7n, status: "available" };
const KEY = newKey({ name: "k", plan: "pro", quotas: PLANS.pro, createdAtMs: NOW, expiresAtMs: undefined });

const key = (value: string, more: Partial<IdempotencyKey> = {}): IdempotencyKey => ({
  keyId: KEY.id,
  value,
  fingerprint: "f",
  nowMs: NOW,
  ...more,
});

/** Two instances on one database, and a way to look into it. */
let [first, second]: [Store, Store] = [] as never;
let [url, sql]: [string, SQL] = [] as never;

beforeAll(async () => {
  url = await newDatabase();
  first = await openForServing(url, { connections: 5 });
  second = await openForServing(url, { connections: 5 });
  sql = new SQL(url, { max: 2 });
  await first.keys.create({ ...SIGNED, key: KEY, digest: KEY.id });
});

afterAll(async () => {
  await Promise.all([first.close(), second.close(), sql.close({ timeout: 0 })]);
});

const count = async (table: string, condition = "true"): Promise<number> =>
  Number((await sql.unsafe(`SELECT count(*)::int AS count FROM ${table} WHERE ${condition}`))[0].count);

/** A store whose use of the database is noted. */
async function counted() {
  const pool = await openPool(url, 5, { rules: MIGRATES });
  const used: string[] = [];
  const noting: Pool = new Proxy(pool, {
    get(target, name) {
      const member = target[name as keyof Pool];
      if (typeof member !== "function") return member;
      return (...args: never[]) => {
        used.push(String(name));
        return (member as (...args: never[]) => unknown).apply(target, args);
      };
    },
  });
  const uses = async (work: () => unknown): Promise<string[]> => {
    used.length = 0;
    await work();
    return [...used];
  };
  return {
    animals: postgresAnimals(noting),
    orders: postgresOrders(noting),
    uses,
    close: () => pool.close(),
  };
}

test("PostgreSQL: a creation, a placement and a move are one statement each, and every other write one transaction", async () => {
  const { animals, orders, uses, close } = await counted();
  expect(await uses(() => animals.create(REX))).toEqual(["write"]);
  expect(await uses(() => animals.create(REX, key("one statement")))).toEqual(["write"]);
  const { id: animalId } = doneValue(await animals.create(REX));
  let orderId = 0n;
  const place = async (idempotencyKey?: IdempotencyKey) => {
    orderId = doneValue(await orders.place({ animalId, keyId: "key_desk", nowMs: NOW }, idempotencyKey)).id;
  };
  expect(await uses(() => place())).toEqual(["write"]);
  expect(await uses(() => orders.update({ orderId, to: "cancelled", keyId: "key_desk", nowMs: NOW }))).toEqual([
    "write",
  ]);
  expect(await uses(() => place(key("one order")))).toEqual(["write"]);
  expect(await uses(() => orders.update({ orderId, to: "approved", nowMs: NOW }))).toEqual(["write"]);
  // A write of several statements is one transaction.
  const transaction = async (work: () => unknown) => expect(await uses(work)).toEqual(["transact"]);
  await transaction(() => orders.update({ orderId, to: "delivered", nowMs: NOW }, key("one move")));
  await transaction(() => animals.update({ id: animalId, name: "Mia" }));
  await transaction(() => animals.update({ id: animalId, name: UPDATED, status: "available" }, key("one update")));
  const { id: mistake } = doneValue(await animals.create(REX));
  await transaction(() => animals.delete({ id: mistake }, key("one removal")));
  await place();
  await transaction(() => orders.update({ orderId, to: "approved", nowMs: NOW, precondition: "exists" }));
  expect(await uses(() => orders.get(orderId))).toEqual(["read"]);
  expect(await uses(() => animals.delete({ id: mistake }, key("one removal")))).toEqual(["transact", "read"]);
  expect(await uses(() => animals.delete({ id: mistake }))).toEqual(["transact"]);
  // A retry looks once more, a refusal finds out why.
  expect(await uses(() => animals.create(REX, key("one statement")))).toEqual(["write", "read"]);
  expect(await uses(() => orders.place({ animalId, nowMs: NOW }, key("refused")))).toEqual(["write", "read", "read"]);
  await close();
});

test("PostgreSQL: gets and creations of one turn of the event loop are one statement, and each gets its own", async () => {
  const { animals, uses, close } = await counted();
  const names = Array.from({ length: 40 }, (_, i) => `${i} 🐾 "quoted" \\ {,} ${"é".repeat(i)}`);
  const created: { readonly id: bigint; readonly name: string }[] = [];
  const createAll = async () => {
    for (const animal of await Promise.all(names.map((name) => animals.create({ ...REX, name }))))
      created.push(doneValue(animal));
  };
  expect(await uses(createAll)).toEqual(["write"]);
  expect(created.map(({ name }) => name)).toEqual(names);
  const createOnce = async () => {
    const keyed = names.map((name, i) => animals.create({ ...REX, name }, key(`together ${97 - i}`)));
    for (const animal of await Promise.all(keyed)) created.push(doneValue(animal));
  };
  expect(await uses(createOnce)).toEqual(["write"]);
  expect(new Set(created.map(({ id }) => id)).size).toBe(2 * names.length);
  const wanted = [...created.map(({ id }) => id).reverse(), 4_711_000n];
  let got: unknown[] = [];
  const getAll = async () => {
    got = await Promise.all(wanted.map((id) => animals.get(id)));
  };
  expect(await uses(getAll)).toEqual(["read"]);
  expect(got).toEqual([...created.reverse(), undefined]);
  await close();
});

test("PostgreSQL: what fails in a batch does no harm to the others", async () => {
  const before = await count("animals");
  const bad = { ...REX, status: "lost" as AnimalStatus };
  const results = await Promise.allSettled([
    first.animals.create({ ...REX, name: "a" }),
    first.animals.create(bad),
    first.animals.create({ ...REX, name: "b" }),
    first.animals.create({ ...REX, name: "c" }, key("good")),
    first.animals.create(bad, key("bad")),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled", "rejected"]);
  expect(await count("animals")).toBe(before + 3);
  expect(await count("saved_responses", "idempotency_key = 'bad'")).toBe(0);
});

describe("PostgreSQL: of copies of a request at two instances", () => {
  /** Some bodies under some keys, at either instance and at any time of a day or after it. */
  const requests = fc.array(
    fc.record({
      value: fc.constantFrom("x", "y", "z"),
      body: fc.constantFrom("a", "b"),
      instance: fc.constantFrom(0, 1),
      delay: fc.nat(3),
    }),
    { minLength: 2, maxLength: 30 },
  );

  test("one is carried out, the others get its response, and a different request is told so", async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(requests, async (sent) => {
        run++;
        const before = await count("animals");
        const answers = await Promise.all(
          sent.map(async ({ value, body, instance, delay }) => {
            for (let i = 0; i < delay; i++) await new Promise((resolve) => setImmediate(resolve));
            const idempotencyKey = key(`${run} ${value}`, { fingerprint: body });
            const { animals } = instance === 0 ? first : second;
            return { value, body, result: await animals.create({ ...REX, name: body }, idempotencyKey) };
          }),
        );
        const used = new Set(sent.map(({ value }) => value));
        for (const value of used) {
          const ofKey = answers.filter((answer) => answer.value === value);
          const done = ofKey.filter(({ result }) => result.kind === "done");
          expect(done).toHaveLength(1);
          const winner = done[0] as (typeof done)[number];
          for (const { body, result } of ofKey.filter((answer) => answer !== winner))
            expect(result).toEqual(
              body === winner.body
                ? { kind: "replay", content: { kind: "value", value: doneValue(winner.result) } }
                : { kind: "mismatch" },
            );
        }
        expect(await count("animals")).toBe(before + used.size);
      }),
      { numRuns: 40 },
    );
  });

  test("one is carried out again when the saved response is deleted, once, even if that happens meanwhile", async () => {
    for (let round = 0; round < 10; round++) {
      const before = await count("animals");
      await first.animals.create(REX, key(`expired ${round}`));
      const later = key(`expired ${round}`, { nowMs: NOW + DAY_MS });
      const deleteAll = async () => {
        while (await first.maintenance.deleteSavedResponses({ savedAtMs: NOW }));
      };
      const [, ...results] = await Promise.all([
        deleteAll(),
        ...Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? first : second).animals.create(REX, later)),
      ]);
      // One that asked before the deletion has got the first response.
      if (results.every(({ kind }) => kind === "replay")) results.push(await first.animals.create(REX, later));
      expect(results.filter(({ kind }) => kind === "done")).toHaveLength(1);
      expect(await count("animals")).toBe(before + 2);
    }
  });

  test("one order is placed, also while others take and release the animal", async () => {
    for (let round = 0; round < 15; round++) {
      const { id: animalId } = doneValue(await first.animals.create(REX));
      const copies = Array.from({ length: 10 }, (_, i) =>
        (i % 2 === 0 ? first : second).orders.place({ animalId, nowMs: NOW }, key(`order ${round}`)),
      );
      const rivals = Array.from({ length: 10 }, async (_, i) => {
        const { orders } = i % 2 === 0 ? second : first;
        const placed = await orders.place({ animalId, nowMs: NOW });
        if (placed.kind === "done") await orders.update({ orderId: placed.value.id, to: "cancelled", nowMs: NOW });
      });
      const results = await Promise.all(copies);
      await Promise.all(rivals);
      const done = results.filter(({ kind }) => kind === "done");
      expect(done.length).toBeLessThanOrEqual(1);
      const saved = await count("saved_responses", `idempotency_key = 'order ${round}'`);
      expect(saved).toBe(done.length);
      for (const result of results)
        if (result.kind === "replay")
          expect(result.content).toEqual({ kind: "value", value: doneValue(done[0] as (typeof results)[number]) });
        else if (result.kind === "refused") expect(result.reason.kind).toBe("not_available");
    }
    expect(await sql.unsafe(BROKEN_SALES)).toHaveLength(0);
  });
});

test("PostgreSQL: one idempotency key for orders of different animals places one of them", async () => {
  for (let round = 0; round < 10; round++) {
    const animals = await Promise.all(Array.from({ length: 6 }, () => first.animals.create(REX)));
    const results = await Promise.all(
      animals.map((animal, i) =>
        (i % 2 === 0 ? first : second).orders.place(
          { animalId: doneValue(animal).id, nowMs: NOW },
          key(`animals ${round}`, { fingerprint: String(i) }),
        ),
      ),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual(["done", ...Array(5).fill("mismatch")]);
  }
  expect(await sql.unsafe(BROKEN_SALES)).toHaveLength(0);
});

test("PostgreSQL: a refusal is not the answer to a copy of what was carried out", async () => {
  for (let round = 0; round < 20; round++) {
    const { id: animalId } = doneValue(await first.animals.create(REX));
    const results = await Promise.all(
      [first, second, first, second].map((store) => store.orders.place({ animalId, nowMs: NOW }, key(`copy ${round}`))),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual(["done", "replay", "replay", "replay"]);
  }
});

test("PostgreSQL: copies of an update, a removal and a move at two instances all get the first answer", async () => {
  for (let round = 0; round < 15; round++) {
    const [rex, mia, tom] = (
      await Promise.all([first.animals.create(REX), first.animals.create(REX), first.animals.create(REX)])
    ).map(doneValue) as [Animal, Animal, Animal];
    const { id: orderId } = doneValue(await first.orders.place({ animalId: tom.id, nowMs: NOW }));
    const precondition = { tags: [animalTag(rex)] };
    const copies = await Promise.all(
      [first, second, first, second, first, second].map(({ animals, orders }) =>
        Promise.all([
          animals.update({ id: rex.id, name: UPDATED, status: "sold", precondition }, key(`update ${round}`)),
          animals.delete({ id: mia.id }, key(`remove ${round}`)),
          orders.update({ orderId, to: "cancelled", nowMs: NOW }, key(`move ${round}`)),
        ]),
      ),
    );
    for (const i of [0, 1, 2] as const) {
      const results = copies.map((copy) => copy[i]);
      const value = doneValue<unknown>(results.find(({ kind }) => kind === "done") ?? { kind: "none" });
      const others = results.filter(({ kind }) => kind !== "done");
      expect(others).toEqual(Array(5).fill({ kind: "replay", content: { kind: "value", value } }));
    }
  }
});

test("PostgreSQL: of different requests with one idempotency key at two instances, one changes something", async () => {
  for (let round = 0; round < 15; round++) {
    const animals = await Promise.all(Array.from({ length: 6 }, () => first.animals.create(REX)));
    const results = await Promise.all(
      animals.map((animal, i) => {
        const { id } = doneValue(animal);
        const named = key(`different ${round}`, { fingerprint: String(i) });
        const store = i % 2 === 0 ? first : second;
        return i < 3 ? store.animals.update({ id, name: "Mia" }, named) : store.animals.delete({ id }, named);
      }),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual(["done", ...Array(5).fill("mismatch")]);
    const left = await Promise.all(animals.map((animal) => second.animals.get(doneValue(animal).id)));
    expect(left.filter((animal) => animal?.name === "Rex")).toHaveLength(5);
  }
});

test("PostgreSQL: an update waits for whoever holds the animal, and is given up with nothing changed", async () => {
  const { id } = doneValue(await first.animals.create(REX));
  const holder = await sql.reserve();
  await holder.unsafe("BEGIN");
  await holder.unsafe(`SELECT 1 FROM animals WHERE id = ${id} FOR UPDATE`);
  const outcomes = await Promise.allSettled([
    first.animals.update({ id, name: "Mia" }, key("in vain")),
    first.animals.delete({ id }, key("in vain too")),
  ]);
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: "rejected", reason: { name: "StoreUnavailable", changed: "nothing" } });
  await holder.unsafe("ROLLBACK");
  holder.release();
  expect(await count("saved_responses", "idempotency_key LIKE 'in vain%'")).toBe(0);
  expect(await first.animals.update({ id, name: "Mia" }, key("in vain"))).toMatchObject({ kind: "done" });
});

test("PostgreSQL: an order of whoever held the animal first is seen, although it was placed after the question", async () => {
  for (const ask of [
    (id: bigint) => first.animals.update({ id, status: "sold" }),
    (id: bigint) => first.animals.delete({ id }),
  ]) {
    const { id } = doneValue(await first.animals.create(REX));
    const holder = await sql.reserve();
    await holder.unsafe("BEGIN");
    await holder.unsafe(`UPDATE animals SET status = 'pending' WHERE id = ${id}`);
    const asked = ask(id);
    await until(async () => (await count("pg_locks", "NOT granted")) > 0);
    await holder.unsafe(
      `INSERT INTO orders (animal_id, status, placed_at, updated_at) VALUES (${id}, 'placed', ${NOW}, ${NOW})`,
    );
    await holder.unsafe("COMMIT");
    holder.release();
    expect(await asked).toMatchObject({
      kind: "refused",
      reason: { kind: expect.stringMatching(/in_order|has_orders/) },
    });
    expect(await first.animals.get(id)).toMatchObject({ status: "pending" });
  }
});

test("PostgreSQL: moves that race at two instances keep to the rule, also when a clock was set back", async () => {
  const moves = fc.array(
    fc.record({
      to: fc.constantFrom(...ORDER_STATUSES),
      instance: fc.constantFrom(0, 1),
      nowMs: fc.integer({ min: NOW - 5, max: NOW + 5 }),
    }),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(moves, async (sent) => {
      const { id: animalId } = doneValue(await first.animals.create(REX));
      const { id: orderId } = doneValue(await first.orders.place({ animalId, nowMs: NOW }));
      const results = await Promise.all(
        sent.map(({ to, instance, nowMs }) => (instance === 0 ? first : second).orders.update({ orderId, to, nowMs })),
      );
      const made = results.flatMap((result) => (result.kind === "done" ? [result.value] : []));
      const [order] = (await second.orders.list({ animalId, size: 1 })).rows;
      const path = made.map(({ status }) => status);
      expect(new Set(path).size).toBe(path.length);
      const last: OrderStatus =
        (["cancelled", "delivered", "approved"] as const).find((status) => path.includes(status)) ?? "placed";
      expect(order?.status).toBe(last);
      expect(order?.updatedAtMs).toBe(Math.max(NOW, ...made.map(({ updatedAtMs }) => updatedAtMs)));
      expect((await first.animals.get(animalId))?.status).toBe(
        ({ placed: "pending", approved: "pending", delivered: "sold", cancelled: "available" } as const)[last],
      );
    }),
    { numRuns: 40 },
  );
  expect(await sql.unsafe(BROKEN_SALES)).toHaveLength(0);
});

test("PostgreSQL: a key that another transaction holds delays only the request that has it", async () => {
  const holder = await sql.reserve();
  await holder.unsafe("BEGIN");
  await holder.unsafe(`INSERT INTO saved_responses VALUES ('${KEY.id}', 'held', 'f', ${NOW}, '{}')`);
  const held = first.animals.create(REX, key("held"));
  const beside = first.animals.create(REX, key("beside"));
  const refusal = held.catch((error: unknown) => error);
  // The batch is given up after the lock timeout, and each is tried alone.
  expect(await beside).toMatchObject({ kind: "done" });
  const plain = await first.animals.create(REX);
  expect(plain.kind).toBe("done");
  await holder.unsafe("ROLLBACK");
  holder.release();
  const outcome = await refusal;
  if (outcome instanceof Error) expect(outcome).toMatchObject({ name: "StoreUnavailable", changed: "nothing" });
  else expect(outcome).toMatchObject({ kind: "done" });
});

/** The statements that write, with sample parameters, and the one that gets several animals. */
const STATEMENTS: readonly (readonly [name: string, text: string, parameters: readonly string[]])[] = [
  ["get several", GET_SEVERAL, ["'{1,2,3000}'"]],
  ["create several", CREATE_SEVERAL, [`'[{"name":"a","category_id":1,"status":"sold"}]'`]],
  [
    "create once",
    CREATE_ONCE,
    [
      `'[{"name":"a","category_id":1,"status":"sold"}]'`,
      `'[{"key_id":"k","idempotency_key":"new","fingerprint":"f","saved_at":1,"content":"x"}]'`,
    ],
  ],
  ["place", PLACE, ["'pending'", "8001", "'available'", "8001", "'placed'", "1", "1", "'r'", "'key_desk'"]],
  [
    "place once",
    PLACE_ONCE,
    [
      "'pending'",
      "8002",
      "'available'",
      "8002",
      "'placed'",
      "1",
      "1",
      "NULL",
      "NULL",
      "'k'",
      "'new'",
      "'f'",
      "1",
      "'x'",
    ],
  ],
  ["lock an animal", ANIMALS.getAndLock, ["8003"]],
  ["update an animal", ANIMALS.update, ["'Mia'", "2", "'sold'", "'mia'", "8003"]],
  ["remove an animal", ANIMALS.remove, ["8004"]],
  ["find an open order", ANIMALS.findOpenOrder, ["100"]],
  ["find no open order", ANIMALS.findOpenOrder, ["8003"]],
  ["find an order", ANIMALS.findOrder, ["100"]],
  ["find no order", ANIMALS.findOrder, ["8003"]],
  ["save a response", SAVE, ["'k'", "'new'", "'f'", "1", "'x'"]],
  ...Object.entries(TRANSITIONS).flatMap(([to, text]) =>
    text ? [[`move to ${to}`, text, ["100", "9", `'","to":"${to}"}'`]] as const] : [],
  ),
];

test("PostgreSQL: no write scans, also with a plan that was made while the tables were small", async () => {
  const database = await newDatabase();
  await (await openForServing(database, { connections: 1 })).close();
  const session = new SQL(database, { max: 1 });
  await session.unsafe(
    "INSERT INTO keys (id, name, plan, per_minute, per_day, created_at) VALUES ('k', 'k', 'free', 60, 1000, 0)",
  );
  await session.unsafe("SET plan_cache_mode = force_generic_plan");
  const scans = async () =>
    Number(
      (
        await session.unsafe(`SELECT sum(seq_scan) AS scans FROM pg_stat_xact_user_tables
          WHERE relname IN ('animals', 'orders', 'saved_responses')`)
      )[0].scans,
    );
  const explain = async (name: string, parameters: readonly string[]): Promise<string> => {
    await session.unsafe("BEGIN");
    const before = await scans();
    const rows = await session.unsafe(`EXPLAIN (ANALYZE, TIMING OFF) EXECUTE "${name}" (${parameters.join(", ")})`);
    // The plan does not show the checks of foreign keys.
    const hidden = (await scans()) - before;
    await session.unsafe("ROLLBACK");
    const plan = rows.map((row: Record<string, string>) => row["QUERY PLAN"]);
    return [...plan, hidden === 0 ? "" : `Seq Scan, ${hidden} of them`].join("\n");
  };
  for (const [name, text, parameters] of STATEMENTS) {
    await session.unsafe(`PREPARE "${name}" AS ${text}`);
    await explain(name, parameters);
  }
  await session.unsafe(`INSERT INTO animals (name, category_id, status)
    SELECT 'Rex', i / 400, CASE WHEN i <= 5000 THEN 'pending' ELSE 'available' END FROM generate_series(1, 10000) i`);
  await session.unsafe(`INSERT INTO orders (animal_id, status, placed_at, updated_at)
    SELECT id, CASE WHEN id % 2 = 0 THEN 'placed' ELSE 'approved' END, 0, 0 FROM animals WHERE id <= 5000`);
  await session.unsafe(
    "INSERT INTO saved_responses SELECT 'k', i::text, 'f', i, '{}' FROM generate_series(1, 10000) i",
  );
  for (const state of ["small", "large"]) {
    for (const [name, , parameters] of STATEMENTS)
      expect([state, name, /Seq Scan[^\n]*/.exec(await explain(name, parameters))?.[0]]).toEqual([
        state,
        name,
        undefined,
      ]);
    await session.unsafe("VACUUM ANALYZE");
  }
  await session.close({ timeout: 0 });
});
