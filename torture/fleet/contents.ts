import { BROKEN_ALWAYS } from "../../test/harness/requests/orders.ts";
import { withSql } from "../../test/harness/servers/postgres.ts";
import { type AnimalRow, type Contents, gather, type OrderRow } from "../ledger/contents.ts";

/** Numbers are selected as text, to stay exact. */
type AsText<Row> = { [Column in keyof Row]: Row[Column] extends bigint ? string : Row[Column] };

/** Waits (not for ever) until no statement is running, because an interrupted one may still be carried out. */
const UNTIL_QUIET = `
  DO $$ BEGIN
    WHILE clock_timestamp() < now() + interval '15 s' AND EXISTS (SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle' AND backend_type = 'client backend')
    LOOP PERFORM pg_sleep(0.02); PERFORM pg_stat_clear_snapshot(); END LOOP;
  END $$`;

/** Reads everything that the ledger keeps track of from PostgreSQL. */
export const readContents = (url: string): Promise<Contents> =>
  withSql(url, async (sql) => {
    await sql`SET statement_timeout = 0`;
    await sql.unsafe(UNTIL_QUIET);
    const animals: AsText<AnimalRow>[] = await sql`
      SELECT id::text, name, folded_name AS "foldedName", category_id::text AS "categoryId", status
      FROM animals ORDER BY animals.id`;
    const orders: AsText<OrderRow>[] = await sql`
      SELECT id::text, animal_id::text AS "animalId", status FROM orders ORDER BY orders.id`;
    const categories: { id: string; name: string }[] = await sql`SELECT id::text, name FROM categories`;
    return {
      animals: gather(
        animals.map((row) => ({ ...row, id: BigInt(row.id), categoryId: BigInt(row.categoryId) })),
        orders.map((row) => ({ ...row, id: BigInt(row.id), animalId: BigInt(row.animalId) })),
      ),
      categories: new Map(categories.map(({ id, name }) => [BigInt(id), name])),
      keys: new Map(),
      brokenSales: [...(await sql.unsafe(BROKEN_ALWAYS))],
    };
  });

/** Empties the store for the next round, so that comparisons in a long run do not get ever slower. */
export const clear = (url: string): Promise<unknown> =>
  withSql(url, (sql) => sql`TRUNCATE animals, categories, orders, saved_responses`);
