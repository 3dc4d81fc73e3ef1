import { opening } from "../../base/disposal.ts";
import { OperatorError } from "../../base/operator-error.ts";
import { pagesOf } from "../../base/read-all.ts";
import { SECOND_MS } from "../../base/time/clock.ts";
import { INSTANCE_LOST_AFTER_MS, stateOfInstance } from "../../domain/usage/instance.ts";
import { CHANGES_NO_SCHEMA, COPIES_FROM, COPIES_INTO, type SchemaRules } from "../schema/migrate.ts";
import { STORE_ID, selectMetadata, TABLES } from "../sql/rows.ts";
import { type Row, selectFrom, type Table } from "../sql/table.ts";
import {
  type RowReader,
  type RowSource,
  type RowTarget,
  type RowWriter,
  transferWork,
} from "../sql/tables/transfer.ts";
import { instanceWork } from "../sql/tables/usage.ts";
import { BATCH_SIZE, COPIES_TABLE } from "../sql/transfer.ts";
import { performing } from "../sql/work.ts";
import { beginSnapshot } from "./animal-snapshot.ts";
import { type Connection, POOLED, type Session } from "./connections/connection.ts";
import { POSTGRES, rowsParameter, upsertRows } from "./connections/dialect.ts";
import { watchedSession } from "./connections/watched-session.ts";
import { perform } from "./connections/work.ts";
import { openOnSchema } from "./migrate.ts";

const namesOf = (tables: readonly Table[]): string => tables.map(({ name }) => name).join(", ");

/** Behind a pooler, the settings of the role apply. */
const UNLIMITED = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";
const WRITERS_TIMEOUT = "5s";

/** Opens the source of a copy, which nobody else uses or writes to meanwhile. Fails with an OperatorError. */
export const openSource = (url: string): Promise<RowSource> =>
  inSession(url, COPIES_FROM, async (session) => {
    await refuseUse(session, "source");
    await session.run("INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
      STORE_ID,
      crypto.randomUUID(),
    ]);
    await session.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await session.run(`${UNLIMITED}; SET LOCAL lock_timeout = '${WRITERS_TIMEOUT}'`);
    // The first read fixes the moment that is seen, and by then nobody writes.
    await session.run(`LOCK TABLE ${namesOf(TABLES)} IN SHARE MODE`);
    const [fact] = await session.run<{ value: string }>(selectMetadata("$1"), [STORE_ID]);
    return sourceOn(session, fact?.value as string);
  });

/** Opens a source of which a snapshot is copied, even while services run on it. It only reads. */
export const openSnapshot = (url: string): Promise<RowSource> =>
  inSession(url, CHANGES_NO_SCHEMA, async (session) => {
    await beginSnapshot(session);
    const [first] = await session.run<Row>("SELECT applied_at, digest FROM migrations WHERE number = 1");
    return { ...(await sourceOn(session, `${first?.applied_at} ${first?.digest}`)), refuseUse: () => {} };
  });

/** Opens the target of a copy. Fails with an OperatorError. */
export const openTarget = (url: string): Promise<RowTarget> =>
  inSession(url, COPIES_INTO, async (session) => {
    const textColumns = await textColumnsOf(session);
    await refuseUse(session, "target");
    await session.run(`CREATE TABLE IF NOT EXISTS ${COPIES_TABLE} (source text PRIMARY KEY, finished_at bigint)`);
    return {
      ...writerOn(session, textColumns),
      transact: (tables, work) =>
        session.transact(async (tx) => {
          await tx.run(UNLIMITED);
          await tx.run(`LOCK TABLE ${namesOf(tables)} IN SHARE ROW EXCLUSIVE MODE`);
          return work(writerOn(tx, textColumns));
        }),
      refuseUse: () => refuseUse(session, "target"),
      close: () => session.close(),
    };
  });

/** Opens a session for a copy, and closes it again if the work fails. */
const inSession = <T>(url: string, rules: SchemaRules, work: (session: Session) => Promise<T>): Promise<T> =>
  opening(async (opened) => {
    const session = await watchedSession(await openOnSchema(url, { rules }), url);
    return work(opened.adopt(session, endAndClose));
  });

/** A service that has the database open would not notice that a copy has begun. */
async function refuseUse(connection: Connection, what: "source" | "target"): Promise<void> {
  for (let look = 1; ; look++) {
    const user = await userOf(connection);
    if (!user) return;
    if (look === LOOKS_AT_USERS)
      throw new OperatorError(`${user.who} is using the ${what} database: stop it first, ${user.otherwise}`);
    await Bun.sleep(LOOK_INTERVAL_MS);
  }
}

/** The server takes a moment to notice the end of a session, such as the one that created the schema. */
const LOOKS_AT_USERS = 30;
const LOOK_INTERVAL_MS = 100;

/** Services ask for changed keys every second, so a connection of PgBouncer that was not used for this long is left over. */
const USED_WITHIN = "2 seconds";

const SELECT_SESSIONS = `SELECT application_name LIKE '%${POOLED}%' AS pooled,
    state = 'idle' AND state_change < clock_timestamp() - interval '${USED_WITHIN}' AS rests
  FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'animal-store%'
    AND application_name NOT LIKE 'animal-store doctor%' AND pid <> pg_backend_pid()`;

const INSTANCES = instanceWork(POSTGRES);

/** The user of a database, and what to do if it runs no more. */
interface User {
  readonly who: string;
  readonly otherwise: string;
}

/** A session is that of a process that runs. PgBouncer also has some that rest: only heartbeats tell whose they are. */
async function userOf(connection: Connection): Promise<User | undefined> {
  // Within a transaction, the server would show the sessions of the first look again.
  await connection.run("SELECT pg_stat_clear_snapshot()");
  const sessions = await connection.run<{ pooled: boolean; rests: boolean | null }>(SELECT_SESSIONS);
  if (sessions.length === 0) return undefined;
  if (sessions.some(({ pooled, rests }) => !pooled || !rests))
    return {
      who: "a service or another command",
      otherwise: "or if that was 1.1.0 behind PgBouncer, have PgBouncer close its connections (RECONNECT)",
    };
  const nowMs = Date.now();
  const instances = await perform(connection.run, INSTANCES.reads.list());
  const alive = instances.find((instance) => stateOfInstance(instance, nowMs) === "alive");
  if (!alive) return undefined;
  // Its clock may be ahead of ours.
  const agoMs = Math.max(0, nowMs - alive.seenAtMs);
  return {
    who: `instance ${alive.id} on ${alive.host}, which was there ${Math.round(agoMs / SECOND_MS)} s ago,`,
    otherwise: `or if it was killed, wait ${INSTANCE_LOST_AFTER_MS / SECOND_MS} s`,
  };
}

async function sourceOn(session: Session, id: string): Promise<RowSource> {
  return {
    ...readerOn(session, await textColumnsOf(session)),
    id,
    wasKnownAs: () => false,
    async lastIds(tables) {
      const lastIds = new Map<Table, bigint>();
      for (const table of tables) lastIds.set(table, await lastIdOf(session, table));
      return lastIds;
    },
    refuseUse: () => refuseUse(session, "source"),
    close: () => endAndClose(session),
  };
}

/** Without it, others wait for the locks until the server notices the end of the session. */
async function endAndClose(session: Session): Promise<void> {
  await session.run("ROLLBACK").catch(() => {});
  await session.close();
}

async function lastIdOf(connection: Connection, { name }: Table): Promise<bigint> {
  const [sequence] = await connection.run<{ name: string }>("SELECT pg_get_serial_sequence($1, 'id') AS name", [name]);
  const [last] = await connection.run<{ id: bigint }>(
    `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS id FROM ${sequence?.name}`,
  );
  return last?.id ?? 0n;
}

/** Columns of type text, each as table and name. */
type TextColumns = ReadonlySet<string>;

/** Text is ordered by its bytes, as in SQLite: a collation, which only text columns take. */
async function textColumnsOf(connection: Connection): Promise<TextColumns> {
  const columns = await connection.run<{ name: string }>(`SELECT table_name || '.' || column_name AS name
    FROM information_schema.columns WHERE table_schema = current_schema() AND data_type = 'text'`);
  return new Set(columns.map(({ name }) => name));
}

const WORK = transferWork(POSTGRES);

function readerOn(connection: Connection, textColumns: TextColumns): RowReader {
  const orderOf = ({ name, key }: Table): string =>
    key.map((column) => (textColumns.has(`${name}.${column}`) ? `${column} COLLATE "C"` : column)).join(", ");
  return {
    ...performing(WORK.reads, (work) => perform(connection.run, work)),
    /** Uses a cursor, so that rows are sorted once. Call it within a transaction. */
    async *rows(table, afterId) {
      const cursor = `rows_of_${table.name}`;
      const condition = afterId === undefined ? "" : `WHERE id > ${afterId}`;
      await connection.run(
        `DECLARE ${cursor} NO SCROLL CURSOR FOR ${selectFrom(table)} ${condition} ORDER BY ${orderOf(table)}`,
      );
      yield* pagesOf(BATCH_SIZE, () => connection.run<Row>(`FETCH ${BATCH_SIZE} FROM ${cursor}`));
      await connection.run(`CLOSE ${cursor}`);
    },
  };
}

const writerOn = (connection: Connection, textColumns: TextColumns): RowWriter => ({
  ...readerOn(connection, textColumns),
  ...performing(WORK.writes, (work) => perform(connection.run, work)),
  async write(table, rows) {
    await connection.run(upsertRows(table), [rowsParameter(rows)]);
  },
  async continueIds(lastIds) {
    for (const [table, wanted] of lastIds) {
      const id = [wanted, await lastIdOf(connection, table)].reduce((a, b) => (a > b ? a : b));
      if (id > 0n) await connection.run("SELECT setval(pg_get_serial_sequence($1, 'id'), $2)", [table.name, id]);
    }
  },
});
