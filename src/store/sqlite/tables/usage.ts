import type { Database } from "bun:sqlite";
import { atGrain, type Grain, type UsageSeries, type UsageSum } from "../../../domain/usage/grains.ts";
import { instancesForgottenBefore } from "../../../domain/usage/instance.ts";
import { newCounts } from "../../../domain/usage/usage.ts";
import type { InstanceStore, UsageStore } from "../../ports/store.ts";
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
  usageColumns,
  usageSumOf,
  usageTablesOf,
  usageValues,
  withStarts,
} from "../../sql/usage-rows.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, type Prepared, prepared } from "../sql/statements.ts";
import { BOOKKEEPING, declareWrites, forward, type Writes } from "./write.ts";

export function sqliteUsage(connection: Connection, writes: Writes): UsageStore {
  /** A statement for each grain. */
  const selecting = <Read>(series: UsageSeries, sql: (table: UsageTable) => string, read: (row: Row) => Read) => {
    const statements = new Map(
      usageTablesOf(series).map((table) => [table.grain, prepared<Row>(connection, sql(table))]),
    );
    return (grain: Grain, ...parameters: SqlValue[]) =>
      attempt(
        () =>
          statements
            .get(grain)?.()
            .all(...parameters) ?? [],
      ).map(read);
  };
  const totals = selecting("total", (table) => selectSpan(table, "?1", "?2"), usageSumOf);
  const byKey = selecting("key", (table) => sumByKey(table, "?1", "?2"), usageSumOf);
  const ofKey = selecting("key", (table) => selectSpanOfKey(table, "?1", "?2", "?3"), usageSumOf);
  const requests = selecting("key", (table) => requestsByKey(table, SQLITE.placeholder), keyRequestsOf);

  return {
    ...forward(writes, usageWrites),
    totals: ({ grain, fromMs, beforeMs }) => totals(grain, fromMs, beforeMs),
    byKey: ({ grain, fromMs, beforeMs }) => byKey(grain, fromMs, beforeMs),
    ofKey: (keyId, { grain, fromMs, beforeMs }) => ofKey(grain, keyId, fromMs, beforeMs),
    requestsByKey: ({ grain, startedAtMs, afterId, size }) => requests(grain, startedAtMs, afterId, size),
  };
}

export function sqliteInstances(connection: Connection, writes: Writes): InstanceStore {
  const list = prepared<Row, []>(connection, SELECT_INSTANCES);
  return {
    ...forward(writes, instanceWrites),
    list: () => attempt(() => list().all()).map(instanceOf),
  };
}

export const usageWrites = declareWrites("usage", { add: BOOKKEEPING }, (db) => {
  const claim = prepared(
    db,
    claimFlush(() => "?"),
  );
  const isKnown = prepared(db, "SELECT 1 FROM keys WHERE id = ?");
  const tables = USAGE_TABLES.map((table) => ({ table, add: adderTo(db, table) }));
  return {
    add({ source, sequence, atMs, sums }) {
      if (!claim().get(source, sequence, atMs)) return;
      // A key may have been deleted since, and nothing is kept about it.
      const ofKeys = sums.filter((sum) => sum.keyId !== null && isKnown().get(sum.keyId));
      const totals = sums.filter((sum) => sum.keyId === null);
      const series: Record<string, readonly UsageSum[]> = { key: ofKeys, total: totals };
      for (const { table, add } of tables) for (const sum of atGrain(table.grain, series[table.series] ?? [])) add(sum);
    },
  };
});

/** Further combinations share the statement with all columns. */
const MAX_STATEMENTS = 64;
const ALL_PLACES = newCounts().map((_, place) => place);

/**
 * Most sums have few counts that are not 0, and most have the same ones: statements for just those take a quarter of
 * the time that one with all columns does.
 */
function adderTo(db: Database, table: UsageTable): (sum: UsageSum) => void {
  const statements = new Map<
    number,
    { readonly places: readonly number[]; readonly add: Prepared<unknown, SqlValue[]> }
  >();
  const statementFor = (places: readonly number[]) => {
    const columns = usageColumns(table, places);
    const values = columns.map(() => "?").join(", ");
    const update = orAdd(table, columns.slice(table.key.length));
    const sql = `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES (${values}) ${update}`;
    return { places, add: prepared(db, sql) };
  };
  const all = statementFor(ALL_PLACES);
  return (sum) => {
    let places = 0;
    for (let place = 0; place < sum.counts.length; place++) if (sum.counts[place] !== 0) places |= 1 << place;
    let statement = statements.get(places) ?? all;
    if (statement === all && places !== 0 && statements.size < MAX_STATEMENTS) {
      statement = statementFor(ALL_PLACES.filter((place) => places & (1 << place)));
      statements.set(places, statement);
    }
    statement.add().run(...usageValues(table, sum, statement.places));
  };
}

const UPKEEP = { sweepUsage: BOOKKEEPING, deleteUsageOfKey: BOOKKEEPING };

export const usageUpkeep = declareWrites("maintenance", UPKEEP, (db) => {
  const deleteOldest = new Map(
    USAGE_TABLES.map((table) => {
      const key = table.key.join(", ");
      const oldest = `SELECT ${key} FROM ${table.name} WHERE started_at < ? ORDER BY ${key} LIMIT ${SWEEP_BATCH_SIZE}`;
      return [table, prepared(db, `DELETE FROM ${table.name} WHERE (${key}) IN (${oldest})`)];
    }),
  );
  const forgetFlushes = prepared(db, "DELETE FROM usage_flushes WHERE flushed_at < ?");
  const forgetInstances = prepared(db, "DELETE FROM instances WHERE seen_at < ?");
  const deletionsOfKey = usageTablesOf("key").map((table) =>
    prepared(
      db,
      `DELETE FROM ${table.name} WHERE key_id = ?1 AND started_at IN (${withStarts(table, "0")}
        SELECT at FROM starts WHERE EXISTS (SELECT 1 FROM ${table.name} WHERE started_at = at AND key_id = ?1)
        LIMIT ${SWEEP_BATCH_SIZE})`,
    ),
  );
  return {
    sweepUsage({ nowMs }) {
      let isMore = false;
      for (const [table, beforeMs] of sweeps(nowMs)) {
        const deleted = Number(deleteOldest.get(table)?.().run(beforeMs).changes);
        if (deleted === SWEEP_BATCH_SIZE) isMore = true;
      }
      forgetFlushes().run(nowMs - FLUSHES_KEPT_MS);
      forgetInstances().run(instancesForgottenBefore(nowMs));
      return isMore;
    },
    deleteUsageOfKey: ({ keyId }) =>
      deletionsOfKey.some((deleteSome) => Number(deleteSome().run(keyId).changes) === SWEEP_BATCH_SIZE),
  };
});

export const instanceWrites = declareWrites("instances", { note: BOOKKEEPING }, (db) => {
  const upsert = prepared(
    db,
    upsertInstance(() => "?"),
  );
  return { note: (instance) => void upsert().run(...instanceValues(instance)) };
});
