import { atGrain, type UsageSum } from "../../../domain/usage/grains.ts";
import type { UsageAddition } from "../../ports/store.ts";
import { insertInto } from "../../sql/table.ts";
import { instanceWork, usageReads } from "../../sql/tables/usage.ts";
import { claimFlush, orAdd, USAGE_TABLES, type UsageTable, usageRecord } from "../../sql/usage-rows.ts";
import { first, run, type Work } from "../../sql/work.ts";
import { SQLITE } from "../sql/dialect.ts";
import { BOOKKEEPING, declareWrites, tableStore } from "./write.ts";

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

export const sqliteUsage = tableStore(usageReads(SQLITE), usageWrites);

const INSTANCES = instanceWork(SQLITE);

export const instanceWrites = declareWrites("instances", BOOKKEEPING, INSTANCES.writes);

export const sqliteInstances = tableStore(INSTANCES.reads, instanceWrites);

/** Further combinations share the statement with all columns. */
const MAX_STATEMENTS = 64;

/**
 * Most sums have few counts that are not 0, and most have the same ones: statements for just those take a quarter of
 * the time that one with all columns does.
 */
function adderTo(table: UsageTable): (sum: UsageSum) => Work<unknown> {
  const statements = new Map<string, string>();
  const statementFor = (columns: readonly string[]) =>
    `${insertInto(table, columns, SQLITE.placeholder)} ${orAdd(table, columns.slice(table.key.length))}`;
  const all = statementFor(table.columns);
  return (sum) => {
    const row = usageRecord(table, sum);
    const columns = Object.keys(row);
    const counted = columns.join();
    let statement = statements.get(counted);
    const hasCounts = columns.length > table.key.length;
    if (statement === undefined && hasCounts && statements.size < MAX_STATEMENTS) {
      statement = statementFor(columns);
      statements.set(counted, statement);
    }
    if (statement !== undefined) return run(statement, Object.values(row));
    return run(
      all,
      table.columns.map((column) => row[column] ?? null),
    );
  };
}

const ADDERS = USAGE_TABLES.map((table) => ({ table, add: adderTo(table) }));
