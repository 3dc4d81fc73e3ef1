import { expect, test } from "bun:test";
import { openPool } from "../../../src/store/postgres/database.ts";
import { migrateDatabase } from "../../../src/store/postgres/migrate.ts";
import { postgresCounts } from "../../../src/store/postgres/tables/counts.ts";
import { CHANGES_NO_SCHEMA } from "../../../src/store/schema/migrate.ts";
import { atEnd } from "../../harness/cleanup.ts";
import { databaseMaker, withSql } from "../../harness/servers/postgres.ts";

const newDatabase = await databaseMaker();

/** Thirty thousand orders, of which ten are open: a sample of the table does not tell how few. */
const ORDERS = 30_000;
const COUNTED_ROWS = 1_000;

test("PostgreSQL: what is rare is counted, however large its table is; what is not is estimated", async () => {
  const url = await newDatabase();
  await migrateDatabase(url, () => {});
  const pool = await openPool(url, 1, { rules: CHANGES_NO_SCHEMA });
  atEnd(() => pool.close());
  const counts = postgresCounts(pool, COUNTED_ROWS);
  const exact = { animals: { available: 0, pending: 0, sold: 0 }, orders: { placed: 0, approved: 0 } };
  expect(await counts.animals()).toEqual({ counts: exact.animals, isEstimate: false });
  expect(await counts.openOrders()).toEqual({ counts: exact.orders, isEstimate: false });
  await withSql(url, async (sql) => {
    await sql`ALTER TABLE animals SET (autovacuum_enabled = false)`;
    await sql`INSERT INTO animals (name, folded_name, category_id, status)
      SELECT 'Rex', 'rex', 1, CASE WHEN i % 6000 = 0 THEN 'pending' ELSE 'sold' END FROM generate_series(1, ${ORDERS}::int) i`;
    await sql`INSERT INTO orders (animal_id, status, placed_at, updated_at)
      SELECT id, CASE WHEN id % 3000 = 0 THEN 'placed' ELSE 'delivered' END, 0, 0 FROM animals`;
  });
  // Nothing is known of the table yet.
  expect(await counts.animals()).toBeUndefined();
  expect(await counts.openOrders()).toEqual({ counts: { placed: 10, approved: 0 }, isEstimate: false });
  await withSql(url, (sql) => sql`ANALYZE animals, orders`);
  const animals = await counts.animals();
  expect(animals).toMatchObject({ counts: { available: 0, pending: 5 }, isEstimate: true });
  expect(Math.abs((animals?.counts.sold ?? 0) - ORDERS)).toBeLessThan(ORDERS / 20);
  expect(await counts.openOrders()).toEqual({ counts: { placed: 10, approved: 0 }, isEstimate: false });
});
