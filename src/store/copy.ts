import type { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { OperatorError } from "../domain/fault.ts";
import { openSql, type Sql } from "./postgres/database.ts";
import { ANSWER_COLUMNS, KEY_COLUMNS, ORDER_COLUMNS, type Row, TALLY_COLUMNS } from "./rows.ts";
import { openAlone, preparePath } from "./sqlite/database.ts";

/** What is moved, in an order that references allow. The key is what rows are ordered and found by. */
const TABLES = [
  { name: "keys", key: ["id"], columns: KEY_COLUMNS },
  { name: "secrets", key: ["digest"], columns: ["digest", "key_id", "expires_at"] },
  { name: "animals", key: ["id"], columns: ["id", "name", "category_id", "status"] },
  { name: "orders", key: ["id"], columns: ORDER_COLUMNS },
  { name: "answers", key: ["key_id", "token"], columns: ANSWER_COLUMNS },
  { name: "tallies", key: ["key_id"], columns: TALLY_COLUMNS },
] as const;

type Table = (typeof TABLES)[number];

/** Tables whose ids the database assigns; text keys need a collation to be ordered alike everywhere. */
const NUMBERED = new Set<string>(["animals", "orders"]);

/** The one table that is large: it is copied from where an earlier copy stopped. */
const RESUMED = "animals";

/** Tables whose rows may have gone from the source since an earlier copy. */
const EMPTIED = ["answers", "tallies"];

const BATCH_ROWS = 2_000;

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
 * Copies a store from SQLite to PostgreSQL and checks that both hold the same, row by row. It can be
 * interrupted and run again. Nobody may serve the source meanwhile. Fails with an OperatorError.
 */
export async function copyStore(
  path: string,
  url: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopiedTable[]> {
  await preparePath(path, { create: false });
  const { db, unlock } = await openAlone(path, true);
  try {
    const sql = await openSql(url, 1);
    try {
      await sql`SET statement_timeout = 0`;
      return await copyAll(db, sql, onProgress);
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      throw new OperatorError(`the copy was interrupted: ${(error as Error).message}. Run it again to go on`);
    } finally {
      await sql.end({ timeout: 2 });
    }
  } finally {
    db.close();
    unlock();
  }
}

async function copyAll(db: Database, sql: Sql, onProgress: (progress: CopyProgress) => void): Promise<CopiedTable[]> {
  await claimTarget(db, sql);
  for (const name of EMPTIED) await sql`DELETE FROM ${sql(name)}`;
  const copied: CopiedTable[] = [];
  for (const table of TABLES) {
    const total = countIn(db, table);
    const report = (step: CopyProgress["step"]) => (done: number) =>
      onProgress({ table: table.name, step, done, total });
    const source = await checksum(rowsOf(db, table), table, report("verify"));
    await copyTable(db, sql, table, table.name === RESUMED, report("copy"));
    // Rows that were copied earlier may have changed since: then all are copied, over what is there.
    if ((await checksum(rowsIn(sql, table), table, report("verify"))) !== source) {
      await copyTable(db, sql, table, false, report("copy"));
      if ((await checksum(rowsIn(sql, table), table, report("verify"))) !== source)
        throw new OperatorError(`the ${table.name} of both databases differ: empty the target and copy again`);
    }
    copied.push({ table: table.name, rows: total, checksum: source });
  }
  await continueIds(db, sql);
  await sql`UPDATE key_revision SET revision = revision + 1`;
  await sql`UPDATE copies SET finished_at = ${Date.now()}`;
  return copied;
}

/** The target must be empty, or hold a copy of this same source that was not finished. */
async function claimTarget(db: Database, sql: Sql): Promise<void> {
  const made = db.query("SELECT applied_at, digest FROM migrations WHERE number = 1").get() as Row;
  const firstKey = db.query("SELECT id FROM keys ORDER BY created_at, id LIMIT 1").get() as Row | null;
  const source = `${made.applied_at} ${made.digest} ${firstKey?.id ?? ""}`;
  await sql`CREATE TABLE IF NOT EXISTS copies (source text PRIMARY KEY, finished_at bigint)`;
  const [earlier] = await sql<Row[]>`SELECT source, finished_at FROM copies`;
  if (earlier?.finished_at)
    throw new OperatorError("a copy into this database was finished already: serve from it, or use an empty one");
  if (earlier?.source === source) return;
  const [animal] = await sql`SELECT 1 FROM animals LIMIT 1`;
  const [key] = await sql`SELECT 1 FROM keys LIMIT 1`;
  if (earlier || animal || key) throw new OperatorError("the target database is not empty: use a new one");
  await sql`INSERT INTO copies (source) VALUES (${source})`;
}

const countIn = (db: Database, { name }: Table): number =>
  Number((db.query(`SELECT count(*) AS count FROM ${name}`).get() as { count: bigint }).count);

async function copyTable(
  db: Database,
  sql: Sql,
  table: Table,
  isResumed: boolean,
  onProgress: (done: number) => void,
): Promise<void> {
  const { name, key, columns } = table;
  const changes = columns.map((column) => `${column} = excluded.${column}`).join(", ");
  const [last] = isResumed ? await sql.unsafe<Row[]>(`SELECT max(id) AS id FROM ${name}`) : [];
  let done = last?.id
    ? Number((db.query(`SELECT count(*) AS count FROM ${name} WHERE id <= ?`).get(last.id) as { count: bigint }).count)
    : 0;
  for await (const rows of rowsOf(db, table, last?.id ? [last.id] : undefined)) {
    await sql`INSERT INTO ${sql(name)} ${sql(rows as Record<string, never>[], ...columns)}
      ON CONFLICT (${sql.unsafe(key.join(", "))}) DO UPDATE SET ${sql.unsafe(changes)}`;
    done += rows.length;
    onProgress(done);
  }
}

type Batches = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

/** All rows of the source after a key, by ascending key, some at a time. */
function* rowsOf(db: Database, table: Table, from?: readonly Row[string][]): Generator<readonly Row[]> {
  const first = db.prepare(pageSql(table, false, () => "?"));
  const next = db.prepare(pageSql(table, true, () => "?"));
  for (let after = from; ; ) {
    const rows = (after ? next.all(...(after as string[])) : first.all()) as Row[];
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_ROWS) return;
    after = table.key.map((column) => last[column] as Row[string]);
  }
}

/** The same of the target. */
async function* rowsIn(sql: Sql, table: Table): AsyncGenerator<readonly Row[]> {
  for (let after: readonly Row[string][] | undefined; ; ) {
    const rows = await sql.unsafe<Row[]>(
      pageSql(table, after !== undefined, (n) => `$${n}`),
      (after ?? []) as never[],
    );
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_ROWS) return;
    after = table.key.map((column) => last[column] as Row[string]);
  }
}

/** Text is ordered by its bytes, so that both databases agree on what comes next. */
function pageSql({ name, key, columns }: Table, isContinued: boolean, mark: (n: number) => string): string {
  const isPostgres = mark(1) !== "?";
  const order = key.map((column) => (isPostgres && !NUMBERED.has(name) ? `${column} COLLATE "C"` : column));
  const condition = isContinued ? `WHERE (${order.join(", ")}) > (${key.map((_, i) => mark(i + 1)).join(", ")})` : "";
  return `SELECT ${columns.join(", ")} FROM ${name} ${condition} ORDER BY ${order.join(", ")} LIMIT ${BATCH_ROWS}`;
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

/** No id that the source has ever given out comes again. */
async function continueIds(db: Database, sql: Sql): Promise<void> {
  const sequences = db.query("SELECT name, seq FROM sqlite_sequence").all() as { name: string; seq: bigint }[];
  for (const { name, seq } of sequences) await sql`SELECT setval(pg_get_serial_sequence(${name}, 'id'), ${seq})`;
}
