import { expect, test } from "bun:test";
import postgres from "postgres";
import { newTally } from "../src/domain/tally.ts";
import { animalLists, orderLists } from "../src/store/lists.ts";
import { POSTGRES } from "../src/store/postgres/dialect.ts";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { databaseMaker } from "./harness/postgres.ts";
import { storeContract } from "./store.contract.ts";

const newDatabase = await databaseMaker();

storeContract("PostgreSQL", async () => openPostgresStore(await newDatabase(), 5));

test("PostgreSQL: ten instances may start at once on an empty database", async () => {
  const url = await newDatabase();
  const stores = await Promise.all(Array.from({ length: 10 }, () => openPostgresStore(url, 2)));
  expect(await stores[0]?.keys.list()).toEqual([]);
  for (const store of stores) await store.close();
});

test("PostgreSQL: what cannot be opened is one clear line without a password", async () => {
  const url = new URL(await newDatabase());
  url.pathname = "/nowhere";
  url.password = "hidden";
  const failure = (await openPostgresStore(url.href, 1).catch((error: unknown) => error)) as Error;
  expect(failure.name).toBe("OperatorError");
  expect(failure.message).toContain('database "nowhere" does not exist');
  expect(failure.message).not.toContain("hidden");
  expect(failure.message).not.toContain("\n");
  await expect(openPostgresStore("postgres://x@127.0.0.1:1/x", 1)).rejects.toThrow(
    "cannot use the database postgres://127.0.0.1:1/x",
  );
});

/** What a list is asked for in the plan test: the status, category and animal that come last. */
const SAMPLE: Record<string, unknown[]> = {
  all: [5, 21],
  byStatus: ["available", 5, 21],
  byCategory: [99, 5, 21],
  byCategoryAndStatus: [99, "available", 5, 21],
  byIds: ["{1,2,3}", null, null, 0, 21],
  byAnimal: [150_000, 5, 21],
  byAnimalAndStatus: [150_000, "placed", 5, 21],
};

test("PostgreSQL: no list scans, also when what is wanted comes last, with plans for one query or for any", async () => {
  const url = await newDatabase();
  await (await openPostgresStore(url, 1)).close();
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  // The older half is sold, as in any shop: whoever walks along the ids meets it first.
  await sql`INSERT INTO animals (name, category_id, status)
    SELECT 'Rex', i / 2000, CASE WHEN i <= 100000 THEN 'sold' ELSE 'available' END FROM generate_series(1, 200000) i`;
  await sql`INSERT INTO orders (animal_id, status, placed_at, updated_at)
    SELECT id, CASE WHEN id <= 100000 THEN 'delivered' ELSE 'placed' END, 0, 0 FROM animals`;
  await sql`VACUUM ANALYZE`;
  const lists = [...Object.entries(animalLists(POSTGRES)), ...Object.entries(orderLists(POSTGRES))];
  for (const mode of ["force_custom_plan", "force_generic_plan"]) {
    await sql.unsafe(`SET plan_cache_mode = ${mode}`);
    for (const [i, [name, text]] of lists.entries()) {
      const isOrders = text.includes("FROM orders");
      const values = name === "byStatus" && isOrders ? ["placed", 5, 21] : (SAMPLE[name] as unknown[]);
      const literals = values
        .map((value) => (typeof value === "string" ? `'${value}'` : String(value ?? "NULL")))
        .join(", ");
      await sql.unsafe(`PREPARE list_${mode}_${i} AS ${text}`);
      const plan = (await sql.unsafe(`EXPLAIN (ANALYZE, TIMING OFF) EXECUTE list_${mode}_${i} (${literals})`)).map(
        (row) => row["QUERY PLAN"] as string,
      );
      const removed = plan.map((line) => Number(/Rows Removed by Filter: (\d+)/.exec(line)?.[1] ?? 0));
      expect([mode, name, plan.some((line) => line.includes("Seq Scan")), Math.max(...removed)]).toEqual([
        mode,
        name,
        false,
        0,
      ]);
    }
  }
  await sql.end();
});

test("PostgreSQL: thousands of tallies are saved at once", async () => {
  const url = await newDatabase();
  const store = await openPostgresStore(url, 1);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`INSERT INTO keys (id, name, plan, per_minute, per_day, created_at)
    SELECT 'key_' || i, 'k', 'free', 60, 1000, 0 FROM generate_series(1, 20000) i`;
  const tallies = Array.from({ length: 20_000 }, (_, i) => [`key_${i + 1}`, newTally()] as const);
  for (const used of [1, 2]) {
    for (const [, tally] of tallies) tally.minute.used = used;
    await store.tallies.save(tallies);
    expect(await sql`SELECT count(*)::int AS count FROM tallies WHERE minute_used = ${used}`).toEqual([
      { count: 20_000 },
    ] as never);
  }
  await sql.end();
  await store.close();
});
