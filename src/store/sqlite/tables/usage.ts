import type { Grain, UsageSeries } from "../../../domain/usage/grains.ts";
import type { InstanceStore, UsageStore } from "../../ports/store.ts";
import type { Row, SqlValue } from "../../sql/table.ts";
import {
  instanceOf,
  keyRequestsOf,
  requestsByKey,
  SELECT_INSTANCES,
  selectSpan,
  selectSpanOfKey,
  sumByKey,
  type UsageTable,
  usageSumOf,
  usageTablesOf,
} from "../../sql/usage-rows.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import type { Writes } from "./writer.ts";

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
    add: (addition) => writes.perform("addUsage", addition),
    totals: ({ grain, fromMs, beforeMs }) => totals(grain, fromMs, beforeMs),
    byKey: ({ grain, fromMs, beforeMs }) => byKey(grain, fromMs, beforeMs),
    ofKey: (keyId, { grain, fromMs, beforeMs }) => ofKey(grain, keyId, fromMs, beforeMs),
    requestsByKey: ({ grain, startedAtMs, afterId, size }) => requests(grain, startedAtMs, afterId, size),
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
