import { createHash } from "node:crypto";
import { OperatorError } from "../../base/operator-error.ts";
import { type Authorship, entryOfStore } from "../../domain/journal.ts";
import { ORDERS } from "../sql/order-rows.ts";
import { ANIMALS, NUMBERED_TABLES } from "../sql/rows.ts";
import type { Row, Table } from "../sql/table.ts";
import type { RowReader, RowSource, RowTarget, RowWriter } from "../sql/tables/transfer.ts";
import { absolutePath, type DatabaseUrl, displayName, isEmbedded, locationOf } from "../urls/database-url.ts";
import { UnusableDatabase } from "../urls/unusable-database.ts";
import { type Claim, claimAnimals, claimWhole, release } from "./claim.ts";
import { CopyRefused } from "./refusal.ts";
import { carryTallies, type SaveTallies, type SharedCounters } from "./tallies.ts";

/** The only large table: an interrupted copy of it is continued. */
const RESUMED: Table = ANIMALS;

/** Tables whose rows may be gone from the source. Orders and the journal lose none, and animals are compared. */
const isEmptied = (table: Table): boolean => table !== RESUMED && table !== ORDERS && !table.isAppendOnly;

export interface CopyProgress {
  readonly table: string;
  readonly step: "copy" | "verify";
  readonly done: number;
  readonly total: number;
}

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  readonly checksum: string;
}

export interface CopyOptions {
  /** Copies animals and categories alone, as they are at one moment, even if the source is served. */
  readonly animalsOnly?: { readonly mayReplace: boolean } | undefined;
  /** The counters that instances share, if they do: used quotas and bans are carried over, in both directions. */
  readonly counters?: SharedCounters | undefined;
  /** The person who copies. */
  readonly author: Authorship;
  /** Stops the copy after a batch: it fails with the signal's reason, and can be continued. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Called if requests are counted in Redis, and used quotas and bans are not carried over. */
  readonly onCountersLeftBehind?: () => void;
}

const ADAPTERS = {
  sqlite: () => import("../sqlite/transfer.ts"),
  postgres: () => import("../postgres/transfer.ts"),
};

/**
 * Copies a store into a database of any kind, and verifies it row by row. It can be interrupted and run again. Neither
 * is served meanwhile, and no command can write to the source. Fails with a CopyRefused or an OperatorError.
 */
export async function copyStore(from: DatabaseUrl, to: DatabaseUrl, options: CopyOptions): Promise<CopiedTable[]> {
  refuseSame(from, to);
  const source = await openSource(from, options).catch(refuseUnusable("source"));
  try {
    const target = await openTarget(to).catch(refuseUnusable("target"));
    try {
      return await copyAll(source, target, { ...options, from: displayName(from) });
    } catch (error) {
      const isExpected = error instanceof OperatorError || error instanceof CopyRefused;
      if (isExpected || (options.signal?.aborted && error === options.signal.reason)) throw error;
      throw new CopyRefused({ kind: "interrupted", reason: (error as Error).message });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

const addressOf = (database: DatabaseUrl): string =>
  isEmbedded(database) ? absolutePath(database.path) : database.url;

function refuseSame(from: DatabaseUrl, to: DatabaseUrl): void {
  if (addressOf(from) === addressOf(to)) throw new CopyRefused({ kind: "same_database", database: displayName(to) });
}

const refuseUnusable =
  (side: "source" | "target") =>
  (error: unknown): never => {
    throw error instanceof UnusableDatabase ? new CopyRefused({ kind: "unusable", side, problem: error }) : error;
  };

async function openSource(from: DatabaseUrl, { animalsOnly }: CopyOptions): Promise<RowSource> {
  const { openSnapshot, openSource: open } = await ADAPTERS[from.kind]();
  return (animalsOnly ? openSnapshot : open)(locationOf(from));
}

const openTarget = async (to: DatabaseUrl): Promise<RowTarget> =>
  (await ADAPTERS[to.kind]()).openTarget(locationOf(to));

interface Copying extends CopyOptions {
  /** The name of the source, for the journal. */
  readonly from: string;
}

/** A copy in progress. */
interface Job {
  readonly source: RowSource;
  readonly claim: Claim;
  readonly totals: ReadonlyMap<Table, number>;
  /** Reports the progress of a table. Throws if the copy is to stop. */
  readonly report: (table: Table, step: CopyProgress["step"]) => (done: number) => void;
}

/** Copies rows in a transaction per batch, so that an interrupted copy is continued, and verifies all at the end. */
async function copyAll(source: RowSource, target: RowTarget, options: Copying): Promise<CopiedTable[]> {
  const { animalsOnly, counters, signal, onProgress = () => {}, onCountersLeftBehind } = options;
  if (!animalsOnly && !counters && (await source.countingPlace()) === "redis") onCountersLeftBehind?.();
  // Counters are read before anything is written: without them there is no copy.
  const saveTallies = counters && !animalsOnly ? await carryTallies(source, counters) : undefined;
  const claim = animalsOnly
    ? await claimAnimals(source, target, { ...options, ...animalsOnly })
    : await claimWhole(source, target);
  const totals = new Map<Table, number>();
  for (const table of claim.tables) totals.set(table, await source.count(table));
  const report: Job["report"] = (table, step) => (done) => {
    signal?.throwIfAborted();
    onProgress({ table: table.name, step, done, total: totals.get(table) ?? 0 });
  };
  const job: Job = { source, claim, totals, report };
  await clearLeftovers(job, target);
  const sums = new Map<Table, string>();
  for (const table of claim.tables) {
    sums.set(table, await checksum(source, table, report(table, "verify")));
    await copyTable(job, target, table, table === RESUMED);
  }
  await source.refuseUse();
  return target.transact(claim.tables, (tx) => finish(job, tx, sums, saveTallies, options));
}

/** Deletes rows of an earlier attempt that the source no longer has. */
async function clearLeftovers({ source, claim }: Job, target: RowTarget): Promise<void> {
  for (const table of claim.tables.toReversed()) if (isEmptied(table)) await target.empty(table);
  // Animals that orders refer to are never deleted from a source.
  await target.transact([RESUMED], async (tx) => {
    for await (const rows of tx.rows(RESUMED)) {
      const copied = rows.map(({ id }) => id as bigint);
      const kept = new Set(await source.existing(RESUMED, copied));
      const gone = copied.filter((id) => !kept.has(id));
      if (gone.length > 0) await tx.delete(RESUMED, gone);
    }
  });
}

/** Verifies every table and marks the copy as finished, in one transaction in which nobody else can write to them. */
async function finish(
  job: Job,
  tx: RowWriter,
  sums: ReadonlyMap<Table, string>,
  saveTallies: SaveTallies | undefined,
  { author, from, animalsOnly }: Copying,
): Promise<CopiedTable[]> {
  const { source, claim, totals, report } = job;
  const copied: CopiedTable[] = [];
  for (const [table, sum] of sums) {
    const verify = () => checksum(tx, table, report(table, "verify"));
    if ((await verify()) !== sum) {
      // Rows that were copied earlier may have changed since, so all are copied again.
      await copyTable(job, tx, table, false);
      if ((await verify()) !== sum) {
        const [sourceRows, targetRows] = [totals.get(table) ?? 0, await tx.count(table)];
        throw new CopyRefused({ kind: "differs", table: table.name, sourceRows, targetRows });
      }
    }
    copied.push({ table: table.name, rows: totals.get(table) ?? 0, checksum: sum });
  }
  await tx.continueIds(await source.lastIds(NUMBERED_TABLES.filter((table) => claim.tables.includes(table))));
  await tx.raiseKeyRevision();
  await saveTallies?.(tx);
  const rows = Object.fromEntries(copied.map((done) => [done.table, done.rows]));
  await tx.appendJournal(entryOfStore(animalsOnly ? "copy --animals" : "copy", author, { after: { from, ...rows } }));
  await release(tx, claim);
  return copied;
}

async function copyTable({ source, report }: Job, target: RowWriter, table: Table, isResumed: boolean): Promise<void> {
  const last = isResumed ? await target.maxId(table) : undefined;
  let done = last === undefined ? 0 : await source.count(table, last);
  const onProgress = report(table, "copy");
  for await (const rows of source.rows(table, last)) {
    await target.write(table, rows);
    done += rows.length;
    onProgress(done);
  }
}

/** One digest over every value of every row, in order. */
async function checksum(reader: RowReader, table: Table, onProgress: (done: number) => void): Promise<string> {
  const textOf = (value: Row[string] | undefined) => (value === null ? null : String(value));
  const hash = createHash("sha256");
  let done = 0;
  for await (const rows of reader.rows(table)) {
    let text = "";
    for (const row of rows) text += `${JSON.stringify(table.columns.map((column) => textOf(row[column])))}\n`;
    hash.update(text);
    done += rows.length;
    onProgress(done);
  }
  return hash.digest("hex");
}
