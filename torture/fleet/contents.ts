import { BROKEN_SALES } from "../../test/harness/orders.ts";
import { withSql } from "../../test/harness/postgres.ts";
import type { Contents, FoundAnimal } from "../common/ledger.ts";

type AnimalRow = { id: string; name: string; categoryId: string; status: string };
type OrderRow = { id: string; animalId: string; status: string };

/** Waits until no statement is in progress, but not for ever: one that was interrupted may still be carried out. */
const UNTIL_QUIET = `
  DO $$ BEGIN
    WHILE clock_timestamp() < now() + interval '15 s' AND EXISTS (SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle' AND backend_type = 'client backend')
    LOOP PERFORM pg_sleep(0.02); PERFORM pg_stat_clear_snapshot(); END LOOP;
  END $$`;

/** Everything that the ledger keeps book of, as PostgreSQL has it. */
export const readContents = (url: string): Promise<Contents> =>
  withSql(url, async (sql) => {
    await sql`SET statement_timeout = 0`;
    await sql.unsafe(UNTIL_QUIET);
    const animals: AnimalRow[] = await sql`
      SELECT id::text, name, category_id::text AS "categoryId", status FROM animals ORDER BY animals.id`;
    const orders: OrderRow[] = await sql`
      SELECT id::text, animal_id::text AS "animalId", status FROM orders ORDER BY orders.id`;
    return {
      animals: byName(animals, orders),
      keys: new Map(),
      brokenSales: [...(await sql.unsafe(BROKEN_SALES))],
    };
  });

function byName(animals: readonly AnimalRow[], orders: readonly OrderRow[]): Map<string, FoundAnimal[]> {
  const byId = new Map<string, FoundAnimal>();
  const found = new Map<string, FoundAnimal[]>();
  for (const { id, name, categoryId, status } of animals) {
    const animal: FoundAnimal = { id: BigInt(id), categoryId: BigInt(categoryId), status, orders: [] };
    byId.set(id, animal);
    found.set(name, [...(found.get(name) ?? []), animal]);
  }
  for (const { id, animalId, status } of orders) byId.get(animalId)?.orders.push({ id: BigInt(id), status });
  return found;
}

/** The next round begins with an empty store, so that a long run does not compare ever more. */
export const clear = (url: string): Promise<unknown> =>
  withSql(url, (sql) => sql`TRUNCATE animals, orders, saved_responses`);
