import type { Grain, UsageSeries } from "../../domain/usage-grains.ts";
import type { InstanceStore, UsageStore } from "../store.ts";
import type { Row, SqlValue } from "../table.ts";
import {
  instanceOf,
  SELECT_INSTANCES,
  selectSpan,
  selectSpanOfKey,
  sumByKey,
  type UsageTable,
  usageSumOf,
  usageTablesOf,
} from "../usage-rows.ts";
import { attempt } from "./attempt.ts";
import { type Connection, prepared } from "./statements.ts";
import type { Writes } from "./writer.ts";

export function sqliteUsage(connection: Connection, writes: Writes): UsageStore {
  /** A statement for each grain. */
  const selecting = (series: UsageSeries, sql: (table: UsageTable) => string) => {
    const statements = new Map(
      usageTablesOf(series).map((table) => [table.grain, prepared<Row>(connection, sql(table))]),
    );
    return (grain: Grain, ...parameters: SqlValue[]) =>
      attempt(
        () =>
          statements
            .get(grain)?.()
            .all(...parameters) ?? [],
      ).map(usageSumOf);
  };
  const totals = selecting("total", (table) => selectSpan(table, "?1", "?2"));
  const byKey = selecting("key", (table) => sumByKey(table, "?1", "?2"));
  const ofKey = selecting("key", (table) => selectSpanOfKey(table, "?1", "?2", "?3"));

  return {
    add: (addition) => writes.perform("addUsage", addition),
    totals: ({ grain, fromMs, beforeMs }) => totals(grain, fromMs, beforeMs),
    byKey: ({ grain, fromMs, beforeMs }) => byKey(grain, fromMs, beforeMs),
    ofKey: (keyId, { grain, fromMs, beforeMs }) => ofKey(grain, keyId, fromMs, beforeMs),
    sweep: (at) => writes.perform("sweepUsage", at),
  };
}

export function sqliteInstances(connection: Connection, writes: Writes): InstanceStore {
  const list = prepared<Row, []>(connection, SELECT_INSTANCES);
  return {
    note: (instance) => writes.perform("noteInstance", instance),
    list: () => attempt(() => list().all()).map(instanceOf),
  };
}
