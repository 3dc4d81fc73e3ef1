import type { Grain, UsageSeries, UsageSum } from "../../../domain/usage/grains.ts";
import type { Instance } from "../../../domain/usage/instance.ts";
import type { KeyBucket, KeyRequests, UsageSpan } from "../../ports/store.ts";
import type { Dialect } from "../searches.ts";
import { type Row, type SqlValue, selectFrom, upsertInto } from "../table.ts";
import {
  INSTANCES,
  instanceOf,
  instanceValues,
  keyRequestsOf,
  requestsByKey,
  selectSpan,
  selectSpanOfKey,
  sumByKey,
  type UsageTable,
  usageSumOf,
  usageTablesOf,
  withStarts,
} from "../usage-rows.ts";
import { run, type Work } from "../work.ts";

/** Reads the table of a series at a grain; without such a table there is nothing. */
function* select<Read>(
  [series, grain]: readonly [UsageSeries, Grain],
  sql: (table: UsageTable) => string,
  parameters: readonly SqlValue[],
  read: (row: Row) => Read,
): Work<readonly Read[]> {
  const table = usageTablesOf(series).find((each) => each.grain === grain);
  return table ? (yield* run(sql(table), parameters)).map(read) : [];
}

export const usageReads = ({ placeholder: $ }: Dialect) => ({
  totals: ({ grain, fromMs, beforeMs }: UsageSpan): Work<readonly UsageSum[]> =>
    select(["total", grain], (table) => selectSpan(table, $(1), $(2)), [fromMs, beforeMs], usageSumOf),
  byKey: ({ grain, fromMs, beforeMs }: UsageSpan): Work<readonly UsageSum[]> =>
    select(["key", grain], (table) => sumByKey(table, $(1), $(2)), [fromMs, beforeMs], usageSumOf),
  ofKey: (keyId: string, { grain, fromMs, beforeMs }: UsageSpan): Work<readonly UsageSum[]> =>
    select(["key", grain], (table) => selectSpanOfKey(table, $(1), $(2), $(3)), [keyId, fromMs, beforeMs], usageSumOf),
  requestsByKey: ({ grain, startedAtMs, afterId, size }: KeyBucket): Work<readonly KeyRequests[]> =>
    select(["key", grain], (table) => requestsByKey(table, $), [startedAtMs, afterId, size], keyRequestsOf),
});

/** The condition for the rows of the key that is the first parameter. */
export const isOfKey = (table: UsageTable, { placeholder, isOneOf }: Dialect): string => {
  const starts = `${withStarts(table, "0")} SELECT at FROM starts WHERE at IS NOT NULL`;
  return `key_id = ${placeholder(1)} AND ${isOneOf("started_at", starts)}`;
};

export const instanceWork = ({ placeholder }: Dialect) => ({
  reads: {
    *list(): Work<readonly Instance[]> {
      return (yield* run(`${selectFrom(INSTANCES)} ORDER BY started_at, id`)).map(instanceOf);
    },
  },
  writes: {
    *note(instance: Instance): Work<void> {
      yield* run(upsertInto(INSTANCES, placeholder), instanceValues(instance));
    },
  },
});
