import { atGrain, type UsageSum } from "../../../domain/usage/grains.ts";
import type { UsageAddition } from "../../ports/store.ts";
import { KEPT_REQUESTS, keptRequestValues } from "../../sql/request-rows.ts";
import { insertInto } from "../../sql/table.ts";
import { requestAdder, requestReads } from "../../sql/tables/requests.ts";
import { instanceWork, usageReads } from "../../sql/tables/usage.ts";
import { claimFlush, orAdd, USAGE_TABLES, type UsageTable, usageRecord } from "../../sql/usage-rows.ts";
import { first, run, type Work } from "../../sql/work.ts";
import { SQLITE } from "../sql/dialect.ts";
import { BOOKKEEPING, declareWrites, tableStore } from "./write.ts";

const CLAIM = claimFlush(SQLITE.placeholder);
const INSERT_REQUEST = `${insertInto(KEPT_REQUESTS, KEPT_REQUESTS.columns, SQLITE.placeholder)}
  ON CONFLICT (id) DO NOTHING RETURNING id`;

const addRequests = requestAdder(SQLITE, function* (requests) {
  const ids: bigint[] = [];
  for (const request of requests)
    for (const { id } of yield* run<{ id: bigint }>(INSERT_REQUEST, keptRequestValues(request))) ids.push(id);
  return ids;
});

export const usageWrites = declareWrites("usage", BOOKKEEPING, {
  *add({ source, sequence, atMs, sums, requests = [] }: UsageAddition): Work<void> {
    if (!(yield* first(CLAIM, [source, sequence, atMs]))) return;
    // A key may have been deleted since, and nothing is kept about it.
    const known = new Set<string | null>();
    for (const keyId of new Set([...sums, ...requests].map((each) => each.keyId)))
      if (keyId !== null && (yield* first("SELECT 1 FROM keys WHERE id = ?", [keyId]))) known.add(keyId);
    const series: Record<string, UsageSum[]> = {
      key: sums.filter(({ keyId }) => known.has(keyId)),
      total: sums.filter(({ keyId }) => keyId === null),
    };
    for (const { table, add } of ADDERS)
      for (const sum of atGrain(table.grain, series[table.series] ?? [])) yield* add(sum);
    yield* addRequests(requests.filter(({ keyId }) => known.has(keyId)));
  },
});

export const sqliteUsage = tableStore({ ...usageReads(SQLITE), ...requestReads(SQLITE) }, usageWrites);

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
