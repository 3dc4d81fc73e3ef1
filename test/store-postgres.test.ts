import { expect, test } from "bun:test";
import postgres from "postgres";
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

test("PostgreSQL: no list scans a table", async () => {
  const url = await newDatabase();
  await (await openPostgresStore(url, 1)).close();
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`INSERT INTO animals (name, category_id, status)
    SELECT 'Rex', i % 100, (ARRAY['available', 'pending', 'sold'])[i % 3 + 1] FROM generate_series(1, 20000) i`;
  await sql`INSERT INTO orders (animal_id, status, placed_at, updated_at) SELECT id, 'cancelled', 0, 0 FROM animals`;
  await sql`ANALYZE`;
  const sample: Record<string, unknown[]> = {
    all: [5, 21],
    byStatus: ["sold", 5, 21],
    byCategory: [7, 5, 21],
    byCategoryAndStatus: [7, "sold", 5, 21],
    byIds: ["{1,2,3}", null, null, 0, 21],
    byAnimal: [7, 5, 21],
    byAnimalAndStatus: [7, "cancelled", 5, 21],
  };
  for (const [name, text] of [...Object.entries(animalLists(POSTGRES)), ...Object.entries(orderLists(POSTGRES))]) {
    const values = (sample[name] as unknown[]).map((value) =>
      typeof value === "string" ? `'${value}'` : String(value),
    );
    const literal = text.replace(/\$(\d)/g, (_, n) => values[Number(n) - 1] as string);
    const plan = (await sql.unsafe(`EXPLAIN ${literal}`)).map((row) => row["QUERY PLAN"]).join("\n");
    expect([name, /Seq Scan/.test(plan)]).toEqual([name, false]);
  }
  await sql.end();
});
