import type { Store } from "../store.ts";
import { postgresAnimals } from "./animals.ts";
import { openPool } from "./database.ts";
import { postgresKeys } from "./keys.ts";
import { postgresOnce } from "./once.ts";
import { postgresOrders } from "./orders.ts";
import { postgresTallies } from "./tallies.ts";

/** Opens a store in a PostgreSQL database, which any number of processes may share. Fails with an OperatorError. */
export async function openPostgresStore(url: string, connections: number): Promise<Store> {
  const pool = await openPool(url, connections);
  const { writeOnce, sweep } = postgresOnce(pool);
  return {
    animals: postgresAnimals(pool, writeOnce),
    orders: postgresOrders(pool, writeOnce),
    keys: postgresKeys(pool),
    tallies: postgresTallies(pool),
    sweep,
    check: async () => void (await pool.read((sql) => sql`SELECT 1 FROM animals LIMIT 1`)),
    close: () => pool.sql.end({ timeout: 2 }),
  };
}
