import postgres from "postgres";
import { type Check, type Checkup, ok, problem } from "../../domain/checkup.ts";
import { displayName } from "../database-url.ts";
import { invariantChecks, savedResponseCheck } from "../invariants.ts";
import { type AppliedMigration, isCurrent } from "../migrate.ts";
import { POSTGRES_MIGRATIONS } from "../migrations/postgres/index.ts";
import { NUMBERED_TABLES, TABLES } from "../rows.ts";

type Sql = postgres.Sql<{ bigint: bigint }>;

const CONNECT_TIMEOUT_SECONDS = 3;
const BATCH_SIZE = 1_000;
const REINDEX = "REINDEX DATABASE CONCURRENTLY, or start the version that made the database";

/** What there is to find out about a PostgreSQL database. Its connection only reads. */
export function checkPostgres(url: string, connections: number): Checkup {
  const sql: Sql = postgres(url, {
    types: { bigint: postgres.BigInt },
    max: 1,
    fetch_types: false,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    onnotice: () => {},
    connection: { application_name: "animal-store doctor", default_transaction_read_only: true },
  });
  return {
    checks: [
      reachable(sql, url),
      writable(sql),
      durable(sql),
      connectionLimit(sql, connections),
      finishedCopy(sql),
      schema(sql),
      indexes(sql),
      ids(sql),
      ...invariantChecks(async (text) => [...(await sql.unsafe<{ id: unknown }[]>(text))]),
      savedResponseCheck(() => sql<{ content: string }[]>`SELECT content FROM saved_responses`.cursor(BATCH_SIZE)),
    ],
    close: () => sql.end({ timeout: 1 }),
  };
}

const reachable = (sql: Sql, url: string): Check => ({
  name: "database can be reached",
  isNeeded: true,
  async run() {
    const name = displayName({ kind: "postgres", url });
    try {
      const [row] =
        await sql`SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding`;
      if (row?.encoding !== "UTF8")
        return problem(`its encoding is ${row?.encoding}`, "create a database with the encoding UTF8");
      return ok(`${name}, PostgreSQL ${row?.version}`);
    } catch (error) {
      return problem(`${name}: ${(error as Error).message}`, "check DATABASE_URL, and whether the server is running");
    }
  },
});

const writable = (sql: Sql): Check => ({
  name: "server accepts writes",
  async run() {
    const [row] = await sql`SELECT pg_is_in_recovery() AS standby`;
    return row?.standby ? problem("it is a standby", "set DATABASE_URL to the primary") : ok("yes");
  },
});

/** What PostgreSQL must do for an acknowledged write to survive a crash. */
const DURABLE = ["fsync", "full_page_writes", "synchronous_commit"];

const durable = (sql: Sql): Check => ({
  name: "acknowledged writes survive a crash",
  async run() {
    const rows = await sql<
      { name: string }[]
    >`SELECT name FROM pg_settings WHERE name = ANY(${sql.array(DURABLE, 25)}) AND setting = 'off'`;
    if (rows.length === 0) return ok("yes");
    return problem(`${rows.map(({ name }) => name).join(", ")} is off`, "turn it on in postgresql.conf");
  },
});

const connectionLimit = (sql: Sql, connections: number): Check => ({
  name: "connections",
  async run() {
    const [row] = await sql`SELECT current_setting('max_connections')::int AS most`;
    const detail = `${connections} for each instance, of ${row?.most}`;
    return connections < Number(row?.most)
      ? ok(detail)
      : problem(detail, "set a lower DATABASE_CONNECTIONS, or a higher max_connections in postgresql.conf");
  },
});

const finishedCopy = (sql: Sql): Check => ({
  name: "copy is finished",
  async run() {
    const [table] = await sql`SELECT to_regclass('copies') AS name`;
    const unfinished = table?.name === null ? [] : await sql`SELECT 1 FROM copies WHERE finished_at IS NULL`;
    return unfinished.length === 0
      ? ok("yes, or there was none")
      : problem("a copy into this database was interrupted", "run animal-store copy again");
  },
});

const schema = (sql: Sql): Check => ({
  name: "schema",
  isNeeded: true,
  async run() {
    const newest = POSTGRES_MIGRATIONS.at(-1)?.number;
    const [table] = await sql`SELECT to_regclass('migrations') AS name`;
    if (table?.name === null) return problem("the database is empty", "start the service, which creates the tables");
    const rows = await sql<{ number: bigint; digest: string }[]>`SELECT number, digest FROM migrations`;
    const applied = rows.map(({ number, digest }): AppliedMigration => ({ number: Number(number), digest }));
    return (await isCurrent({ applied: () => applied, apply: () => {} }, POSTGRES_MIGRATIONS))
      ? ok(`${newest}, as it should be`)
      : problem(`the database is older than schema ${newest}`, "start the service, which brings it up to date");
  },
});

const CREATED_INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+)/gm;

const indexes = (sql: Sql): Check => ({
  name: "indexes",
  async run() {
    const rows = await sql<
      { name: string; valid: boolean }[]
    >`SELECT c.relname AS name, i.indisvalid AND i.indisready AS valid
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = current_schema()::regnamespace`;
    const invalid = rows.filter(({ valid }) => !valid).map(({ name }) => name);
    if (invalid.length > 0) return problem(`${invalid.join(", ")} is not valid`, REINDEX);
    const expected = POSTGRES_MIGRATIONS.flatMap((migration) => [...migration.sql.matchAll(CREATED_INDEX)])
      .filter(([, , table]) => TABLES.some(({ name }) => name === table))
      .map(([, name]) => name as string);
    const missing = expected.filter((name) => !rows.some((row) => row.name === name));
    return missing.length === 0
      ? ok("all there, and valid")
      : problem(`${missing.join(", ")} is missing`, "create it as in src/store/migrations/postgres");
  },
});

const ids = (sql: Sql): Check => ({
  name: "ids are assigned once",
  async run() {
    for (const { name } of NUMBERED_TABLES) {
      const [row] = await sql<{ highest: bigint; assigned: bigint }[]>`SELECT coalesce(max(id), 0) AS highest,
        coalesce(pg_sequence_last_value(pg_get_serial_sequence(${name}, 'id')::regclass), 0) AS assigned FROM ${sql(name)}`;
      if (row && row.highest > row.assigned)
        return problem(
          `the table ${name} has ids up to ${row.highest}, and the next one would be ${row.assigned + 1n}`,
          `SELECT setval(pg_get_serial_sequence('${name}', 'id'), ${row.highest})`,
        );
    }
    return ok("yes");
  },
});
