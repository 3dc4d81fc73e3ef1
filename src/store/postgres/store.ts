import { OperatorError } from "../../domain/operator-error.ts";
import type { Store } from "../store.ts";
import { postgresAnimals } from "./animals.ts";
import { openPool, type Sql } from "./database.ts";
import { deleteSavedResponses, idempotency } from "./idempotency.ts";
import { postgresKeys } from "./keys.ts";
import { postgresOrders } from "./orders.ts";
import { postgresTallies } from "./tallies.ts";

/** Opens a store in a PostgreSQL database, which any number of processes may share. Fails with an OperatorError. */
export async function openForServing(url: string, { connections }: { connections: number }): Promise<Store> {
  const pool = await openPool(url, connections);
  await refuseUnfinishedCopy(pool.sql).catch(async (error: unknown) => {
    await pool.close();
    throw error;
  });
  const withIdempotency = idempotency(pool);
  return {
    animals: postgresAnimals(pool, withIdempotency),
    orders: postgresOrders(pool, withIdempotency),
    keys: postgresKeys(pool),
    tallies: postgresTallies(pool),
    // It would cost a round trip for each reply.
    version: () => undefined,
    deleteSavedResponses: deleteSavedResponses(pool),
    // What goes wrong here goes wrong for a caller.
    onProblem: () => {},
    check: async () => void (await pool.read((sql) => sql`SELECT 1 FROM animals LIMIT 1`)),
    close: () => pool.close(),
  };
}

export const openForCommand = (url: string): Promise<Store> => openForServing(url, { connections: 1 });

/** A copy must be finished first: otherwise ids would be assigned twice. */
async function refuseUnfinishedCopy(sql: Sql): Promise<void> {
  const [table] = await sql`SELECT to_regclass('copies') AS name`;
  if (table?.name === null) return;
  const [unfinished] = await sql`SELECT 1 FROM copies WHERE finished_at IS NULL`;
  if (unfinished) throw new OperatorError("a copy into this database was not finished: run animal-store copy again");
}
