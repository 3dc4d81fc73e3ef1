import { atGrain, type Grain, type UsageSeries, type UsageSum } from "../../../domain/usage/grains.ts";
import type { InstanceStore, UsageStore } from "../../ports/store.ts";
import type { Row, SqlValue } from "../../sql/table.ts";
import {
  claimFlush,
  instanceOf,
  instanceValues,
  keyRequestsOf,
  orAdd,
  requestsByKey,
  SELECT_INSTANCES,
  selectSpan,
  selectSpanOfKey,
  sumByKey,
  USAGE_TABLES,
  type UsageTable,
  upsertInstance,
  usageRecord,
  usageSumOf,
  usageTablesOf,
} from "../../sql/usage-rows.ts";
import type { Connection } from "../connections/connection.ts";
import { POSTGRES, rowsParameter } from "../connections/dialect.ts";
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
        for (const { table, statement } of ADD) {
          const rows = atGrain(table.grain, series[table.series]).map((sum) => usageRecord(table, sum));
          if (rows.length > 0) await tx.run(statement, [rowsParameter(rows)]);
        }
      }),
    totals: ({ grain, fromMs, beforeMs }) => totals(grain, fromMs, beforeMs),
    byKey: ({ grain, fromMs, beforeMs }) => byKey(grain, fromMs, beforeMs),
    ofKey: (keyId, { grain, fromMs, beforeMs }) => ofKey(grain, keyId, fromMs, beforeMs),
    requestsByKey: ({ grain, startedAtMs, afterId, size }) => requests(grain, startedAtMs, afterId, size),
  };
}

/** Leaves out keys that were deleted meanwhile: nothing is kept about them. */
async function ofKnownKeys(tx: Connection, sums: readonly UsageSum[]): Promise<readonly UsageSum[]> {
  const ids = new Set(sums.flatMap(({ keyId }) => keyId ?? []));
  if (ids.size === 0) return [];
  const known = new Set((await tx.run<Row>(KNOWN, [JSON.stringify([...ids])])).map(({ id }) => id));
  return sums.filter(({ keyId }) => keyId !== null && known.has(keyId));
}

export const postgresInstances = (pool: Pool): InstanceStore => ({
  note: async (instance) => void (await pool.write(upsertInstance(POSTGRES.placeholder), instanceValues(instance))),
  async list() {
    return (await pool.read<Row>(SELECT_INSTANCES)).map(instanceOf);
  },
});
