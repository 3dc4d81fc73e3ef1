import { cutPage, type IdOrder, type Page } from "../../../domain/page.ts";
import type { Animal } from "../../../domain/stock/animal.ts";
import { type NameIndex, type NameIndexProgress, type NameSearch, SearchTooSlow } from "../../ports/store.ts";
import { pageFrom } from "../../sql/lists.ts";
import { SELECT_ANIMAL } from "../../sql/rows.ts";
import { POSTGRES } from "../connections/dialect.ts";
import { wasCancelled } from "../connections/sql-state.ts";
import type { Pool } from "../database.ts";

// The index is one of pg_trgm, if the operator has made it: the server keeps it up to date in the transaction of every
// creation, so it is not ours to make.

/** Returns no row unless there is an index of this kind. */
const PROGRESS = `SELECT (SELECT max(id) FROM animals) AS "lastId" FROM pg_index
  JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0] AND attname = 'folded_name'
  JOIN pg_opclass ON pg_opclass.oid = indclass[0] AND opcname = 'gin_trgm_ops'
  WHERE indrelid = to_regclass('animals') AND indisvalid AND indpred IS NULL LIMIT 1`;

/**
 * The index knows no order, so all that it finds has to be sorted, and a frequent part is found too often for that. It is
 * also frequent among this many animals, which are looked through first, in the order of the page.
 */
const LOOKED_THROUGH = 100_000;

/** Leaves the planner only a search in the index: its estimates of patterns are rough. A pooler keeps other settings away. */
export const NAME_SEARCH_PLANNING = `SELECT set_config(setting, CASE setting WHEN 'enable_bitmapscan' THEN 'on' ELSE 'off' END, true)
  FROM unnest(ARRAY['enable_bitmapscan', 'enable_indexscan', 'enable_indexonlyscan', 'enable_seqscan', 'jit']) AS setting`;

interface Searches {
  /** Looks through the next animals. */
  readonly nearby: string;
  readonly inIndex: string;
}

/** The parameters are the pattern, the id that the page begins with, and the number of rows. */
function searchesBy(order: IdOrder): Searches {
  const [bound, direction] = order === "-id" ? ["<=", "DESC"] : [">=", "ASC"];
  const page = `ORDER BY id ${direction} ${POSTGRES.atMost("$3")}`;
  const nearby = `SELECT id FROM (SELECT id, folded_name FROM animals WHERE id ${bound} $2
    ORDER BY id ${direction} LIMIT ${LOOKED_THROUGH}) AS nearby WHERE folded_name LIKE $1 ${page}`;
  const inIndex = `WITH found AS MATERIALIZED (SELECT id FROM animals WHERE folded_name LIKE $1)
    SELECT id FROM found WHERE id ${bound} $2 ${page}`;
  const animals = (ids: string) => `${SELECT_ANIMAL} WHERE ${POSTGRES.isOneOf("id", ids)} ORDER BY id ${direction}`;
  return { nearby: animals(nearby), inIndex: animals(inIndex) };
}

export const NAME_SEARCHES: Readonly<Record<IdOrder, Searches>> = { id: searchesBy("id"), "-id": searchesBy("-id") };

const patternOf = (part: string): string => `%${part.replace(/[\\%_]/g, "\\$&")}%`;

export function postgresNameIndex(pool: Pool): NameIndex {
  return {
    async progress(): Promise<NameIndexProgress | undefined> {
      const [row] = await pool.read<{ lastId: bigint | null }>(PROGRESS);
      const lastId = row?.lastId ?? undefined;
      return row && { upToId: lastId, lastId };
    },
    extend: async () => false,
    drop: async () => {},
    async search({ part, sort, after, size }: NameSearch): Promise<Page<Animal>> {
      const { nearby, inIndex } = NAME_SEARCHES[sort];
      const parameters = [patternOf(part), ...pageFrom(after, sort, size + 1)];
      try {
        return await pool.transact(async ({ run }) => {
          const found = await run<Animal>(nearby, parameters);
          if (found.length > size) return cutPage(found, size);
          await run(NAME_SEARCH_PLANNING);
          return cutPage(await run<Animal>(inIndex, parameters), size);
        });
      } catch (error) {
        throw wasCancelled(error) ? new SearchTooSlow() : error;
      }
    },
  };
}
