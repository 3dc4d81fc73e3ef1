import { ANIMAL_STATUSES } from "../../../domain/stock/animal.ts";
import { OPEN_ORDER_STATUSES } from "../../../domain/stock/order.ts";
import type { CountStore, StatusCounts } from "../../ports/store.ts";
import { categoryCounts } from "../../sql/tables/counts.ts";
import { POSTGRES } from "../connections/dialect.ts";
import { reading } from "../connections/work.ts";
import type { Pool } from "../database.ts";

/** Counting this many rows of one status in an index takes some ten milliseconds; more are estimated. */
const COUNTED_ROWS = 100_000;

/** The server's statistics of a table, with the number of rows scaled to its present size, as the planner does. */
const STATISTICS = `SELECT
    CAST(c.reltuples / c.relpages * (pg_relation_size(c.oid) / current_setting('block_size')::bigint) AS bigint) AS rows,
    array_to_json(s.most_common_vals::text::text[])::text AS statuses,
    array_to_json(s.most_common_freqs)::text AS shares
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = 'status'
  WHERE c.oid = to_regclass($1) AND c.reltuples >= 0 AND c.relpages > 0 AND s.most_common_vals IS NOT NULL`;

interface Statistics {
  readonly rows: bigint;
  readonly statuses: string;
  readonly shares: string;
}

/** Exact counts if there are few rows; otherwise the server's statistics from its last ANALYZE. */
export function postgresCounts(pool: Pool, countedRows = COUNTED_ROWS): CountStore {
  /** Returns one more than the limit if there are too many. */
  async function countOf(table: string, status: string): Promise<number> {
    const [row] = await pool.read<{ count: bigint }>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM ${table} WHERE status = $1 LIMIT ${countedRows + 1}) AS first_ones`,
      [status],
    );
    return Number(row?.count ?? 0n);
  }

  async function count<Status extends string>(
    table: string,
    statuses: readonly Status[],
  ): Promise<StatusCounts<Status> | undefined> {
    const counts = {} as Record<Status, number>;
    for (const status of statuses) counts[status] = await countOf(table, status);
    const tooMany = statuses.filter((status) => counts[status] > countedRows);
    if (tooMany.length === 0) return { counts, isEstimate: false };
    const [noted] = await pool.read<Statistics>(STATISTICS, [table]);
    if (!noted) return undefined;
    const estimate = estimateOf(noted);
    for (const status of tooMany) counts[status] = Math.max(counts[status], estimate(status));
    return { counts, isEstimate: true };
  }

  return {
    ...reading(pool, categoryCounts(POSTGRES)),
    animals: () => count("animals", ANIMAL_STATUSES),
    openOrders: () => count("orders", OPEN_ORDER_STATUSES),
    async bytes() {
      const [row] = await pool.read<{ bytes: bigint }>("SELECT pg_database_size(current_database()) AS bytes");
      return Number(row?.bytes ?? 0n);
    },
  };
}

function estimateOf({ rows, statuses, shares: noted }: Statistics): (status: string) => number {
  const names = JSON.parse(statuses) as string[];
  const shares = JSON.parse(noted) as number[];
  return (status) => Math.round(Number(rows) * (shares[names.indexOf(status)] ?? 0));
}
