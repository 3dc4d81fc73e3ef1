import { atGrain, type Grain, type UsageSeries, type UsageSum } from "../../../domain/usage/grains.ts";
import { instancesForgottenBefore } from "../../../domain/usage/instance.ts";
import type { InstanceStore, KeyStore, UsageStore } from "../../ports/store.ts";
import type { Row, SqlValue } from "../../sql/table.ts";
import {
  claimFlush,
  FLUSHES_KEPT_MS,
  instanceOf,
  instanceValues,
  keyRequestsOf,
  orAdd,
  requestsByKey,
  SELECT_INSTANCES,
  SWEEP_BATCH_SIZE,
  selectSpan,
  selectSpanOfKey,
  sumByKey,
  sweeps,
  USAGE_TABLES,
  type UsageTable,
  upsertInstance,
  usageRecord,
  usageSumOf,
  usageTablesOf,
  withStarts,
} from "../../sql/usage-rows.ts";
import type { Connection } from "../connections/connection.ts";
import { POSTGRES, rowsParameter } from "../connections/dialect.ts";
import type { Pool } from "../database.ts";

const CLAIM = claimFlush(POSTGRES.placeholder);
/** They are not deleted before their usage is there to be deleted with them. */
const KNOWN =
  "SELECT id FROM keys WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::text::json))) FOR KEY SHARE";

const statementsFor = (tables: readonly UsageTable[], sql: (table: UsageTable) => string): Map<UsageTable, string> =>
  new Map(tables.map((table) => [table, sql(table)]));

/** Rows are in the order in which they are locked: instances that add to the same ones take turns. */
const ADD = statementsFor(
  USAGE_TABLES,
  (table) => `INSERT INTO ${table.name} (${table.columns.join(", ")})
  SELECT ${table.columns.join(", ")} FROM json_populate_recordset(NULL::${table.name}, $1::text::json) ${orAdd(table)}`,
);

const deleteSome = (table: string, which: string): string =>
  `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${which}
  LIMIT ${SWEEP_BATCH_SIZE} FOR UPDATE SKIP LOCKED)) RETURNING 1`;

const SWEEP = statementsFor(USAGE_TABLES, ({ name }) => deleteSome(name, "started_at < $1"));
const DELETE_OF_KEY = usageTablesOf("key").map((table) =>
  deleteSome(
    table.name,
    `key_id = $1 AND started_at = ANY (ARRAY(${withStarts(table, "0")} SELECT at FROM starts WHERE at IS NOT NULL))`,
  ),
);

export function postgresUsage(pool: Pool): UsageStore {
  const selecting = <Read>(series: UsageSeries, sql: (table: UsageTable) => string, read: (row: Row) => Read) => {
    const statements = new Map(usageTablesOf(series).map((table) => [table.grain, sql(table)]));
    return async (grain: Grain, ...parameters: SqlValue[]) => {
      const statement = statements.get(grain);
      return statement === undefined ? [] : (await pool.read<Row>(statement, parameters)).map(read);
    };
  };
  const totals = selecting("total", (table) => selectSpan(table, "$1", "$2"), usageSumOf);
  const byKey = selecting("key", (table) => sumByKey(table, "$1", "$2"), usageSumOf);
  const ofKey = selecting("key", (table) => selectSpanOfKey(table, "$1", "$2", "$3"), usageSumOf);
  const requests = selecting("key", (table) => requestsByKey(table, POSTGRES.placeholder), keyRequestsOf);

  return {
    add: ({ source, sequence, atMs, sums }) =>
      pool.transact(async (tx) => {
        const [turn] = await tx.run(CLAIM, [source, sequence, atMs]);
        if (!turn) return;
        const series = { key: await ofKnownKeys(tx, sums), total: sums.filter(({ keyId }) => keyId === null) };
        for (const [table, statement] of ADD) {
          const rows = atGrain(table.grain, series[table.series]).map((sum) => usageRecord(table, sum));
          if (rows.length > 0) await tx.run(statement, [rowsParameter(rows)]);
        }
      }),
    totals: ({ grain, fromMs, beforeMs }) => totals(grain, fromMs, beforeMs),
    byKey: ({ grain, fromMs, beforeMs }) => byKey(grain, fromMs, beforeMs),
    ofKey: (keyId, { grain, fromMs, beforeMs }) => ofKey(grain, keyId, fromMs, beforeMs),
    requestsByKey: ({ grain, startedAtMs, afterId, size }) => requests(grain, startedAtMs, afterId, size),
    async sweep({ nowMs }) {
      let isMore = false;
      for (const [table, beforeMs] of sweeps(nowMs)) {
        const deleted = await pool.write(SWEEP.get(table) as string, [beforeMs]);
        if (deleted.length === SWEEP_BATCH_SIZE) isMore = true;
      }
      await pool.write(deleteSome("usage_flushes", "flushed_at < $1"), [nowMs - FLUSHES_KEPT_MS]);
      await pool.write(deleteSome("instances", "seen_at < $1"), [instancesForgottenBefore(nowMs)]);
      return isMore;
    },
  };
}

/** A key may have been deleted since: nothing is to be kept about it. */
async function ofKnownKeys(tx: Connection, sums: readonly UsageSum[]): Promise<readonly UsageSum[]> {
  const ids = new Set(sums.flatMap(({ keyId }) => keyId ?? []));
  if (ids.size === 0) return [];
  const known = new Set((await tx.run<Row>(KNOWN, [JSON.stringify([...ids])])).map(({ id }) => id));
  return sums.filter(({ keyId }) => keyId !== null && known.has(keyId));
}

/** Returns whether there may be more of it. */
export const deleteUsage =
  (pool: Pool): KeyStore["deleteUsage"] =>
  async ({ keyId }) => {
    for (const statement of DELETE_OF_KEY)
      if ((await pool.write(statement, [keyId])).length === SWEEP_BATCH_SIZE) return true;
    return false;
  };

export const postgresInstances = (pool: Pool): InstanceStore => ({
  note: async (instance) => void (await pool.write(upsertInstance(POSTGRES.placeholder), instanceValues(instance))),
  async list() {
    return (await pool.read<Row>(SELECT_INSTANCES)).map(instanceOf);
  },
});
