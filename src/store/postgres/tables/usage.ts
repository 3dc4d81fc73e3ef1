import { atGrain } from "../../../domain/usage/grains.ts";
import type { UsageStore } from "../../ports/store.ts";
import { KEPT_REQUESTS, keptRequestRow } from "../../sql/request-rows.ts";
import { requestAdder, requestReads } from "../../sql/tables/requests.ts";
import { usageReads } from "../../sql/tables/usage.ts";
import { claimFlush, orAdd, USAGE_TABLES, usageRecord } from "../../sql/usage-rows.ts";
import { run } from "../../sql/work.ts";
import type { Connection } from "../connections/connection.ts";
import { POSTGRES, rowsParameter } from "../connections/dialect.ts";
import { perform, reading } from "../connections/work.ts";
import type { Pool } from "../database.ts";

const CLAIM = claimFlush(POSTGRES.placeholder);
/** Locks the keys: none is deleted before its usage is written, to be deleted with it. */
const KNOWN =
  "SELECT id FROM keys WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::text::json))) FOR KEY SHARE";

/** Rows are sorted, so that instances that add to the same ones lock them in one order. */
const ADD = USAGE_TABLES.map((table) => {
  const columns = table.columns.join(", ");
  return {
    table,
    statement: `INSERT INTO ${table.name} (${columns})
      SELECT ${columns} FROM json_populate_recordset(NULL::${table.name}, $1::text::json) ${orAdd(table)}`,
  };
});

/** An arbitrary number, of an advisory lock that no other program takes. */
const REQUESTS_LOCK = 4_705_221_191n;
/** Taken last, until the commit: two who add to the same hour of a key would not see each other's requests. */
const LOCK_REQUESTS = `SELECT pg_advisory_xact_lock(${REQUESTS_LOCK})`;
const REQUEST_COLUMNS = KEPT_REQUESTS.columns.join(", ");
const INSERT_REQUESTS = `INSERT INTO ${KEPT_REQUESTS.name} (${REQUEST_COLUMNS}) SELECT ${REQUEST_COLUMNS}
  FROM json_populate_recordset(NULL::${KEPT_REQUESTS.name}, $1::text::json) ON CONFLICT (id) DO NOTHING RETURNING id`;

const addRequests = requestAdder(POSTGRES, function* (requests) {
  const inserted = yield* run<{ id: bigint }>(INSERT_REQUESTS, [rowsParameter(requests.map(keptRequestRow))]);
  return inserted.map(({ id }) => id);
});

export const postgresUsage = (pool: Pool): UsageStore => ({
  ...reading(pool, { ...usageReads(POSTGRES), ...requestReads(POSTGRES) }),
  add: ({ source, sequence, atMs, sums, requests = [] }) =>
    pool.transact(async (tx) => {
      const [turn] = await tx.run(CLAIM, [source, sequence, atMs]);
      if (!turn) return;
      const known = await knownKeys(tx, [...sums, ...requests]);
      const series = {
        key: sums.filter(({ keyId }) => known.has(keyId)),
        total: sums.filter(({ keyId }) => keyId === null),
      };
      for (const { table, statement } of ADD) {
        const rows = atGrain(table.grain, series[table.series]).map((sum) => usageRecord(table, sum));
        if (rows.length > 0) await tx.run(statement, [rowsParameter(rows)]);
      }
      const ofKnown = requests.filter(({ keyId }) => known.has(keyId));
      if (ofKnown.length === 0) return;
      await tx.run(LOCK_REQUESTS);
      await perform(tx.run, addRequests(ofKnown));
    }),
});

/** Returns the keys that were not deleted meanwhile: nothing is kept about others. */
async function knownKeys(
  tx: Connection,
  about: readonly { readonly keyId: string | null }[],
): Promise<ReadonlySet<string | null>> {
  const ids = new Set(about.flatMap(({ keyId }) => keyId ?? []));
  if (ids.size === 0) return new Set();
  return new Set((await tx.run<{ id: string }>(KNOWN, [JSON.stringify([...ids])])).map(({ id }) => id));
}
