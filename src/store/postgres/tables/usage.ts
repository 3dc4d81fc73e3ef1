import { atGrain, type UsageSum } from "../../../domain/usage/grains.ts";
import type { UsageStore } from "../../ports/store.ts";
import type { Row } from "../../sql/table.ts";
import { usageReads } from "../../sql/tables/usage.ts";
import { claimFlush, orAdd, USAGE_TABLES, usageRecord } from "../../sql/usage-rows.ts";
import type { Connection } from "../connections/connection.ts";
import { POSTGRES, rowsParameter } from "../connections/dialect.ts";
import { reading } from "../connections/work.ts";
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

export const postgresUsage = (pool: Pool): UsageStore => ({
  ...reading(pool, usageReads(POSTGRES)),
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
});

/** Leaves out keys that were deleted meanwhile: nothing is kept about them. */
async function ofKnownKeys(tx: Connection, sums: readonly UsageSum[]): Promise<readonly UsageSum[]> {
  const ids = new Set(sums.flatMap(({ keyId }) => keyId ?? []));
  if (ids.size === 0) return [];
  const known = new Set((await tx.run<Row>(KNOWN, [JSON.stringify([...ids])])).map(({ id }) => id));
  return sums.filter(({ keyId }) => keyId !== null && known.has(keyId));
}
