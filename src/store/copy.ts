import type { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { OperatorError } from "../domain/operator-error.ts";
import { claimTarget, identify } from "./copy-claim.ts";
import { COPIES } from "./migrate.ts";
import type { Connection, Session } from "./postgres/connection.ts";
import { POSTGRES, rowsParameter, upsertRows } from "./postgres/dialect.ts";
import { openOnSchema } from "./postgres/schema.ts";
import {
  ANIMALS,
  CATEGORIES,
  INTERNAL_TABLES,
  KEYS,
  type Row,
  SAVED_RESPONSES,
  SECRETS,
  selectFrom,
  TABLES,
  TABLES_BY_NUMBER,
  TALLIES,
  type Table,
} from "./rows.ts";
import type { Dialect } from "./searches.ts";
import { LOCK_TIMEOUTS, openLocked, preparePath } from "./sqlite/database.ts";
import { SQLITE } from "./sqlite/dialect.ts";

/** The one table that is large: an interrupted copy of it is continued. */
const RESUMED: Table = ANIMALS;

/** Small tables, whose rows may have been deleted from the source since an earlier copy, in an order that references allow. */
const EMPTIED: readonly Table[] = [TALLIES, SAVED_RESPONSES, CATEGORIES, SECRETS, KEYS];

const BATCH_SIZE = 2_000;

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

/**
 * Copies a store from SQLite to PostgreSQL, and verifies it row by row. It can be interrupted and run again. The source
 * must not be served meanwhile, and no command can write to it. Fails with an OperatorError.
 */
export async function copyStore(
  path: string,
  url: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopiedTable[]> {
  const { db, unlock } = await openLocked(await preparePath(path, { create: false }), LOCK_TIMEOUTS, COPIES);
  try {
    refuseUnknownSchema(db);
    lockAgainstWrites(db, path);
    const target = await openOnSchema(url, { rules: COPIES });
    try {
      return await copyAll(db, target, onProgress);
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      throw new OperatorError(`the copy was interrupted: ${(error as Error).message}. Run it again to continue`);
    } finally {
      await target.close();
    }
  } finally {
    if (db.inTransaction) db.run("ROLLBACK");
    db.close();
    unlock();
  }
}

/** Commands change keys beside a service, and would beside a copy: this transaction makes them wait, and give up. */
function lockAgainstWrites(db: Database, path: string): void {
  try {
    identify(db);
    db.run("BEGIN IMMEDIATE");
  } catch (error) {
    throw new OperatorError(
      `another process is writing to ${path} (${(error as Error).message}): try again when it is done`,
    );
  }
}

/** Rows are copied in batches of their own, so that an interrupted copy is continued; what counts is the end of it. */
async function copyAll(
  db: Database,
  target: Session,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopiedTable[]> {
  await claimTarget(db, target);
  for (const { name } of EMPTIED) await target.run(`DELETE FROM ${name}`);
  await deleteGone(db, target, RESUMED);
  const totals = new Map(TABLES.map((table) => [table, countIn(db, table)]));
  const report = (table: Table, step: CopyProgress["step"]) => (done: number) =>
    onProgress({ table: table.name, step, done, total: totals.get(table) ?? 0 });
  const sums = new Map<Table, string>();
  for (const table of TABLES) {
    sums.set(table, await checksum(rowsOf(db, table), table, report(table, "verify")));
    await copyTable(db, target, table, table === RESUMED, report(table, "copy"));
  }
  return target.transact((tx) => finish(db, tx, sums, report));
}

/** Rows that an earlier copy has brought over, and that the source has no more. Those that orders refer to are never among them. */
async function deleteGone(db: Database, target: Connection, table: Table): Promise<void> {
  const find = db.prepare(`SELECT id FROM ${table.name} WHERE ${SQLITE.idIsOneOf("?")}`);
  for await (const rows of rowsIn(target, table)) {
    const copied = rows.map(({ id }) => id as bigint);
    const kept = new Set((find.all(SQLITE.idList(copied)) as Row[]).map(({ id }) => id));
    const gone = copied.filter((id) => !kept.has(id));
    if (gone.length > 0)
      await target.run(`DELETE FROM ${table.name} WHERE ${POSTGRES.idIsOneOf("$1")}`, [POSTGRES.idList(gone)]);
  }
}

type Report = (table: Table, step: CopyProgress["step"]) => (done: number) => void;

/** Verifies every table and marks the copy as finished, in one transaction in which nobody else can write to them. */
async function finish(
  db: Database,
  tx: Connection,
  sums: ReadonlyMap<Table, string>,
  report: Report,
): Promise<CopiedTable[]> {
  // Behind a pooler, what is set for the role applies.
  await tx.run("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0");
  await tx.run(`LOCK TABLE ${TABLES.map(({ name }) => name).join(", ")} IN SHARE ROW EXCLUSIVE MODE`);
  const copied: CopiedTable[] = [];
  for (const [table, source] of sums) {
    const verify = () => checksum(rowsIn(tx, table), table, report(table, "verify"));
    if ((await verify()) !== source) {
      // Rows that were copied earlier may have changed since: all are copied over those that are there.
      await copyTable(db, tx, table, false, report(table, "copy"));
      if ((await verify()) !== source) throw await difference(db, tx, table);
    }
    copied.push({ table: table.name, rows: countIn(db, table), checksum: source });
  }
  await continueIds(db, tx);
  await tx.run("UPDATE key_revision SET revision = revision + 1");
  await tx.run("UPDATE copies SET finished_at = $1", [Date.now()]);
  return copied;
}

async function difference(db: Database, tx: Connection, table: Table): Promise<OperatorError> {
  const [counted] = await tx.run<Row>(`SELECT count(*) AS count FROM ${table.name}`);
  return new OperatorError(
    `the table ${table.name} has ${countIn(db, table)} rows in the source and ${counted?.count} in the target, which are not the same: empty the target and copy again`,
  );
}

/** A table that is not in the list would be lost silently; other columns than those in the lists keep a store from being opened. */
function refuseUnknownSchema(db: Database): void {
  const tables = db.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  for (const { name } of tables as { name: string }[])
    if (!INTERNAL_TABLES.includes(name) && !TABLES.some((table) => table.name === name))
      throw new OperatorError(
        `this version cannot copy the table ${name}: use the version that added it, or remove it first`,
      );
}

const countIn = (db: Database, { name }: Table): number =>
  Number((db.query(`SELECT count(*) AS count FROM ${name}`).get() as { count: bigint }).count);

async function copyTable(
  db: Database,
  target: Connection,
  table: Table,
  isResumed: boolean,
  onProgress: (done: number) => void,
): Promise<void> {
  const { name } = table;
  const [last] = isResumed ? await target.run<Row>(`SELECT max(id) AS id FROM ${name}`) : [];
  const upsert = upsertRows(table);
  let done = last?.id
    ? Number((db.query(`SELECT count(*) AS count FROM ${name} WHERE id <= ?`).get(last.id) as { count: bigint }).count)
    : 0;
  for await (const rows of rowsOf(db, table, last?.id ? [last.id] : undefined)) {
    await target.run(upsert, [rowsParameter(rows)]);
    done += rows.length;
    onProgress(done);
  }
}

type Batches = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

/** All rows of the source after a key, by ascending key, in batches. */
function* rowsOf(db: Database, table: Table, from?: readonly Row[string][]): Generator<readonly Row[]> {
  for (let after = from; ; ) {
    const rows = db.prepare(pageSql(table, SQLITE, after)).all(...((after ?? []) as string[])) as Row[];
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_SIZE) return;
    after = keyOf(table, last);
  }
}

/** All rows of the target, likewise. */
async function* rowsIn(target: Connection, table: Table): AsyncGenerator<readonly Row[]> {
  for (let after: readonly Row[string][] | undefined; ; ) {
    const rows = await target.run<Row>(pageSql(table, POSTGRES, after), after ?? []);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_SIZE) return;
    after = keyOf(table, last);
  }
}

const keyOf = ({ key }: Table, row: Row): Row[string][] => key.map((column) => row[column] as Row[string]);

/** Text is ordered by its bytes, so that both databases agree on what comes next. */
function pageSql(table: Table, dialect: Dialect, after: readonly unknown[] | undefined): string {
  const collation = dialect === POSTGRES && !TABLES_BY_NUMBER.includes(table) ? ' COLLATE "C"' : "";
  const order = table.key.map((column) => `${column}${collation}`).join(", ");
  const placeholders = table.key.map((_, i) => dialect.placeholder(i + 1)).join(", ");
  const condition = after ? `WHERE (${order}) > (${placeholders})` : "";
  return `${selectFrom(table)} ${condition} ORDER BY ${order} LIMIT ${BATCH_SIZE}`;
}

/** One digest over every value of every row, in order. */
async function checksum(batches: Batches, { columns }: Table, onProgress: (done: number) => void): Promise<string> {
  const hash = createHash("sha256");
  let done = 0;
  for await (const rows of batches) {
    for (const row of rows)
      hash.update(`${JSON.stringify(columns.map((column) => (row[column] === null ? null : String(row[column]))))}\n`);
    done += rows.length;
    onProgress(done);
  }
  return hash.digest("hex");
}

/** Ids that the source has ever assigned are not assigned again. */
async function continueIds(db: Database, target: Connection): Promise<void> {
  const sequences = db.query("SELECT name, seq FROM sqlite_sequence").all() as { name: string; seq: bigint }[];
  for (const { name, seq } of sequences)
    await target.run("SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", [name, seq]);
}
