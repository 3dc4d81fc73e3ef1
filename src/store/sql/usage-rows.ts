import { type Grain, KEPT_MS, sweptBefore, type UsageSeries, type UsageSum } from "../../domain/usage/grains.ts";
import type { Instance } from "../../domain/usage/instance.ts";
import { OUTCOMES, REFUSALS, USAGE_COLUMNS } from "../../domain/usage/usage.ts";
import type { KeyRequests } from "../ports/store.ts";
import {
  asIs,
  columnsOf,
  type FieldsOf,
  objectOf,
  optionalNumber,
  optionalText,
  type Row,
  type SqlValue,
  type Table,
} from "./table.ts";

// The tables of usage and instances and the mapping of their rows. rows.ts lists them with the others.

export interface UsageTable extends Table {
  readonly series: UsageSeries;
  readonly grain: Grain;
}

const usageTable = (series: UsageSeries, grain: Grain): UsageTable => {
  const key = series === "key" ? ["started_at", "key_id"] : ["started_at"];
  const name = `${series === "key" ? "key_" : ""}usage_${grain}s`;
  return { name, columns: [...key, ...USAGE_COLUMNS], key, series, grain };
};

/** All writers write to them in this order, so that no two deadlock. */
export const USAGE_TABLES: readonly UsageTable[] = (["key", "total"] as const).flatMap((series) =>
  (Object.keys(KEPT_MS[series]) as Grain[]).map((grain) => usageTable(series, grain)),
);

export const usageTablesOf = (series: UsageSeries): readonly UsageTable[] =>
  USAGE_TABLES.filter((table) => table.series === series);

/** Follows an INSERT: adds to an existing row, in some columns or all. A sum of none stays null. */
export const orAdd = ({ name, key }: UsageTable, columns = USAGE_COLUMNS): string =>
  `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${columns
    .map((column) => `${column} = nullif(coalesce(${name}.${column}, 0) + coalesce(excluded.${column}, 0), 0)`)
    .join(", ")}`;

/** Only the columns with a count above zero. */
export const usageRecord = (
  { key }: UsageTable,
  { keyId, startedAtMs, counts }: UsageSum,
): Record<string, SqlValue> => {
  const row: Record<string, SqlValue> = { started_at: startedAtMs };
  if (key.length > 1) row.key_id = keyId;
  for (const [place, count] of counts.entries()) if (count > 0) row[USAGE_COLUMNS[place] as string] = count;
  return row;
};

export const usageSumOf = (row: Row): UsageSum => ({
  keyId: (row.key_id as string | undefined) ?? null,
  startedAtMs: Number(row.started_at ?? 0),
  counts: USAGE_COLUMNS.map((column) => Number(row[column] ?? 0)),
});

/** Selects sums that began from one moment on and before another. */
export const selectSpan = ({ name, columns }: UsageTable, from: string, before: string): string =>
  `SELECT ${columns.join(", ")} FROM ${name} WHERE started_at >= ${from} AND started_at < ${before} ORDER BY started_at`;

/** Selects such sums of one key. */
export const selectSpanOfKey = (table: UsageTable, keyId: string, from: string, before: string): string =>
  `${withStarts(table, from)} SELECT ${table.columns.join(", ")} FROM ${table.name}
  WHERE started_at IN (SELECT at FROM starts WHERE at < ${before}) AND key_id = ${keyId} ORDER BY started_at`;

/** One sum for each key, over all that began from one moment on and before another. */
export const sumByKey = (table: UsageTable, from: string, before: string): string =>
  `SELECT key_id, ${USAGE_COLUMNS.map((column) => `CAST(sum(${column}) AS bigint) AS ${column}`).join(", ")}
  FROM ${table.name} WHERE started_at >= ${from} AND started_at < ${before} GROUP BY key_id`;

/** Requests, and those of them that did not pass, of the next keys after one, in the bucket that began at a moment. */
export const requestsByKey = ({ name }: UsageTable, placeholder: (n: number) => string): string => {
  const sumOf = (outcomes: readonly string[]) => outcomes.map((outcome) => `coalesce(${outcome}, 0)`).join(" + ");
  return `SELECT key_id, ${sumOf(OUTCOMES)} AS requests, ${sumOf(["client_error"])} AS client_errors,
    ${sumOf(REFUSALS)} AS refused, ${sumOf(["failed"])} AS failed FROM ${name}
  WHERE started_at = ${placeholder(1)} AND key_id > ${placeholder(2)} ORDER BY key_id LIMIT ${placeholder(3)}`;
};

export const keyRequestsOf = (row: Row): KeyRequests => ({
  keyId: row.key_id as string,
  requests: Number(row.requests),
  clientErrors: Number(row.client_errors),
  refused: Number(row.refused),
  failed: Number(row.failed),
});

/** All start times in a table, found by jumping from one to the next: the index begins with the time, not the key. */
export const withStarts = ({ name }: UsageTable, from: string): string =>
  `WITH RECURSIVE starts (at) AS (
    SELECT min(started_at) FROM ${name} WHERE started_at >= ${from}
    UNION ALL SELECT (SELECT min(started_at) FROM ${name} WHERE started_at > at) FROM starts WHERE at IS NOT NULL)`;

/** Rows that are deleted in one transaction: few, because other writes wait for it. */
export const SWEEP_BATCH_SIZE = 500;

/** The tables with the time before which their rows are no longer kept. */
export const sweeps = (nowMs: number): readonly (readonly [table: UsageTable, beforeMs: number])[] =>
  USAGE_TABLES.map((table) => [table, sweptBefore(table.grain, KEPT_MS[table.series][table.grain] as number, nowMs)]);

/** An interrupted addition may be sent again within this time. */
export const FLUSHES_KEPT_MS = 2 * 24 * 3_600_000;

/** Claims an addition. Changes nothing if it was carried out before. */
export const claimFlush = (placeholder: (n: number) => string): string =>
  `INSERT INTO usage_flushes (source, sequence, flushed_at) VALUES (${[1, 2, 3].map(placeholder).join(", ")})
  ON CONFLICT (source) DO UPDATE SET sequence = excluded.sequence, flushed_at = excluded.flushed_at
  WHERE usage_flushes.sequence < excluded.sequence RETURNING 1 AS claimed`;

// Instances

const INSTANCE_FIELDS: FieldsOf<Instance> = {
  id: ["id", asIs],
  host: ["host", asIs],
  version: ["version", asIs],
  environment: ["environment", asIs],
  threads: ["threads", Number],
  startedAtMs: ["started_at", Number],
  health: ["health", asIs],
  seenAtMs: ["seen_at", Number],
  stoppedAtMs: ["stopped_at", optionalNumber],
  consoleUrl: ["console_url", optionalText],
  consoleDirectUrl: ["console_direct_url", optionalText],
};

export const INSTANCES: Table = { name: "instances", columns: columnsOf(INSTANCE_FIELDS), key: ["id"] };

/** The values in the order of the columns. */
export const instanceValues = (instance: Instance): SqlValue[] =>
  (Object.keys(INSTANCE_FIELDS) as (keyof Instance)[]).map((field) => instance[field] ?? null);

export const instanceOf = (row: Row): Instance => objectOf(INSTANCE_FIELDS, row);
