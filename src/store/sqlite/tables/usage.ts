import { atGrain, type UsageSum } from "../../../domain/usage/grains.ts";
import { newCounts } from "../../../domain/usage/usage.ts";
import type { InstanceStore, UsageAddition, UsageStore } from "../../ports/store.ts";
import { insertInto } from "../../sql/table.ts";
import { instanceWork, usageReads } from "../../sql/tables/usage.ts";
import { claimFlush, orAdd, USAGE_TABLES, type UsageTable, usageColumns, usageValues } from "../../sql/usage-rows.ts";
import { first, run, type Work } from "../../sql/work.ts";
import { SQLITE } from "../sql/dialect.ts";
import type { Connection } from "../sql/statements.ts";
import { reading } from "./work.ts";
import { BOOKKEEPING, declareWrites, forward, type Writes } from "./write.ts";

const CLAIM = claimFlush(SQLITE.placeholder);

export const usageWrites = declareWrites("usage", BOOKKEEPING, {
  *add({ source, sequence, atMs, sums }: UsageAddition): Work<void> {
    if (!(yield* first(CLAIM, [source, sequence, atMs]))) return;
    const series: Record<string, UsageSum[]> = { key: [], total: sums.filter(({ keyId }) => keyId === null) };
    // A key may have been deleted since, and nothing is kept about it.
    for (const sum of sums)
      if (sum.keyId !== null && (yield* first("SELECT 1 FROM keys WHERE id = ?", [sum.keyId]))) series.key?.push(sum);
    for (const { table, add } of ADDERS)
      for (const sum of atGrain(table.grain, series[table.series] ?? [])) yield* add(sum);
  },
});

export const sqliteUsage = (connection: Connection, writes: Writes): UsageStore => ({
  ...reading(connection, usageReads(SQLITE)),
  ...forward(writes, usageWrites),
});

const INSTANCES = instanceWork(SQLITE);

export const instanceWrites = declareWrites("instances", BOOKKEEPING, INSTANCES.writes);

export const sqliteInstances = (connection: Connection, writes: Writes): InstanceStore => ({
  ...reading(connection, INSTANCES.reads),
  ...forward(writes, instanceWrites),
});

/** Further combinations share the statement with all columns. */
const MAX_STATEMENTS = 64;
const ALL_PLACES = newCounts().map((_, place) => place);

/**
 * Most sums have few counts that are not 0, and most have the same ones: statements for just those take a quarter of
 * the time that one with all columns does.
 */
function adderTo(table: UsageTable): (sum: UsageSum) => Work<unknown> {
  const statements = new Map<number, { readonly places: readonly number[]; readonly sql: string }>();
  const statementFor = (places: readonly number[]) => {
    const columns = usageColumns(table, places);
    const update = orAdd(table, columns.slice(table.key.length));
    return { places, sql: `${insertInto(table, columns, SQLITE.placeholder)} ${update}` };
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
    return run(statement.sql, usageValues(table, sum, statement.places));
  };
}

const ADDERS = USAGE_TABLES.map((table) => ({ table, add: adderTo(table) }));
