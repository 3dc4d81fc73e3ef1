import { OperatorError } from "../../domain/fault.ts";
import type { Store } from "../store.ts";
import { postgresAnimals } from "./animals.ts";
import { openPool, type Sql } from "./database.ts";
import { postgresKeys } from "./keys.ts";
import { postgresOnce } from "./once.ts";
import { postgresOrders } from "./orders.ts";
import { postgresTallies } from "./tallies.ts";

/** Opens a store in a PostgreSQL database, which any number of processes may share. Fails with an OperatorError. */
export async function openPostgresStore(url: string, connections: number): Promise<Store> {
  const pool = await openPool(url, connections);
  await refuseHalfACopy(pool.sql).catch(async (error: unknown) => {
    await pool.close();
    throw error;
  });
  const { writeOnce, sweep } = postgresOnce(pool);
  return {
    animals: postgresAnimals(pool, writeOnce),
    orders: postgresOrders(pool, writeOnce),
    keys: postgresKeys(pool),
    tallies: postgresTallies(pool),
    // Each answer would have to be asked for it.
    version: () => undefined,
    warmUp() {},
    sweep,
    check: async () => void (await pool.read((sql) => sql`SELECT 1 FROM animals LIMIT 1`)),
    close: () => pool.close(),
  };
}

/** What `animal-store copy` has begun must be finished first: ids would be given out twice. */
async function refuseHalfACopy(sql: Sql): Promise<void> {
  const [table] = await sql`SELECT to_regclass('copies') AS name`;
  if (table?.name === null) return;
  const [unfinished] = await sql`SELECT 1 FROM copies WHERE finished_at IS NULL`;
  if (unfinished) throw new OperatorError("a copy into this database was not finished: run animal-store copy again");
}
