import { lazy } from "../../base/lazy.ts";
import { systemClock } from "../../base/time/clock.ts";
import { type Check, type Checkup, check, neededCheck, ok, problem } from "../../domain/checkup/checkup.ts";
import { compareClocks } from "../../domain/checkup/clock-check.ts";
import { POSTGRES_MIGRATIONS } from "../migrations/postgres/index.ts";
import {
  animalNameCheck,
  categoryNameCheck,
  clockCheck,
  invariantChecks,
  orderHistoryCheck,
  type SelectIds,
  savedResponseCheck,
  schemaCheck,
} from "../schema/invariants.ts";
import { textOfMigration } from "../schema/migrate.ts";
import { ORDERS } from "../sql/order-rows.ts";
import { rowsOf } from "../sql/pages.ts";
import { ANIMALS, CATEGORIES, NUMBERED_TABLES, SAVED_RESPONSES, TABLES } from "../sql/rows.ts";
import { displayName } from "../urls/database-url.ts";
import { reasonOf } from "./connections/client.ts";
import { openSession, type Run } from "./connections/connection.ts";
import { POSTGRES } from "./connections/dialect.ts";
import { isConnectionLost } from "./connections/failures.ts";
import type { WatchOptions } from "./connections/watch.ts";
import { watchedSession } from "./connections/watched-session.ts";
import { appliedMigrations } from "./schema/migration-target.ts";

const SETTINGS = { application_name: "animal-store doctor", default_transaction_read_only: true };
const REINDEX = "REINDEX DATABASE CONCURRENTLY, or start the version that made the database";

/** The checks of a PostgreSQL database. Their session only reads, and opens at the first check. */
export function checkPostgres(url: string, connections: number, limits?: WatchOptions): Checkup {
  const session = lazy(async () => watchedSession(await openSession(url, SETTINGS), url, limits));
  const run: Run = async (statement, parameters) => {
    try {
      return await (await session()).run(statement, parameters);
    } catch (error) {
      throw isConnectionLost(error) ? new Error(await reasonOf(url, error)) : error;
    }
  };
  const selectIds: SelectIds = async (text) => [...(await run<{ id: unknown }>(text))];
  return {
    checks: [
      reachable(run, url),
      sameClock(run),
      writable(run),
      durable(run),
      connectionLimit(run, connections),
      finishedCopy(run),
      schemaCheck(POSTGRES_MIGRATIONS, () => appliedMigrations({ run }), { kind: "migrate" }),
      indexes(run),
      ids(run),
      ...invariantChecks(selectIds),
      categoryNameCheck(() => rowsOf(run, POSTGRES, CATEGORIES)),
      animalNameCheck(() => rowsOf(run, POSTGRES, ANIMALS)),
      orderHistoryCheck(() => rowsOf(run, POSTGRES, ORDERS)),
      savedResponseCheck(() => rowsOf(run, POSTGRES, SAVED_RESPONSES)),
      clockCheck(selectIds),
    ],
    close: async () => (await session().catch(() => undefined))?.close(),
  };
}

const reachable = (query: Run, url: string): Check =>
  neededCheck("database can be reached", async () => {
    const name = displayName({ kind: "postgres", url });
    try {
      const [row] = await query<{ version: string; encoding: string }>(
        "SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding",
      );
      if (row?.encoding !== "UTF8")
        return problem(`its encoding is ${row?.encoding}`, "create a database with the encoding UTF8");
      return ok(`${name}, PostgreSQL ${row?.version}`);
    } catch (error) {
      return problem(`${name}: ${(error as Error).message}`, "check DATABASE_URL, and whether the server is running");
    }
  });

const sameClock = (query: Run): Check =>
  check("clock agrees with PostgreSQL's", async () => {
    const askedMs = systemClock.nowMs();
    const [row] = await query<{ ms: number }>("SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms");
    return compareClocks("PostgreSQL", Number(row?.ms), askedMs, systemClock.nowMs());
  });

const writable = (query: Run): Check =>
  check("server accepts writes", async () => {
    const [row] = await query<{ standby: boolean }>("SELECT pg_is_in_recovery() AS standby");
    return row?.standby ? problem("it is a standby", "set DATABASE_URL to the primary") : ok("yes");
  });

/** Settings that PostgreSQL needs for an acknowledged write to survive a crash. */
const DURABLE = ["fsync", "full_page_writes", "synchronous_commit"];

const durable = (query: Run): Check =>
  check("acknowledged writes survive a crash", async () => {
    const rows = await query<{ name: string }>(
      `SELECT name FROM pg_settings WHERE name IN (${DURABLE.map((name) => `'${name}'`).join(", ")}) AND setting = 'off'`,
    );
    if (rows.length === 0) return ok("yes");
    return problem(`${rows.map(({ name }) => name).join(", ")} is off`, "turn it on in postgresql.conf");
  });

const connectionLimit = (query: Run, connections: number): Check =>
  check("connections", async () => {
    const [row] = await query<{ most: number }>("SELECT current_setting('max_connections')::int AS most");
    const detail = `${connections} for each instance, of ${row?.most}`;
    return connections < Number(row?.most)
      ? ok(detail)
      : problem(detail, "set a lower DATABASE_CONNECTIONS, or a higher max_connections in postgresql.conf");
  });

const finishedCopy = (query: Run): Check =>
  check("copy is finished", async () => {
    const [table] = await query<{ name: string | null }>("SELECT to_regclass('copies') AS name");
    const unfinished = table?.name === null ? [] : await query("SELECT 1 FROM copies WHERE finished_at IS NULL");
    return unfinished.length === 0
      ? ok("yes, or there was none")
      : problem("a copy into this database was interrupted", { kind: "finish_copy" });
  });

const CREATED_INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON (\w+)/gm;

const indexes = (query: Run): Check =>
  check("indexes", async () => {
    const rows = await query<{ name: string; valid: boolean }>(
      `SELECT c.relname AS name, i.indisvalid AND i.indisready AS valid
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = current_schema()::regnamespace`,
    );
    const invalid = rows.filter(({ valid }) => !valid).map(({ name }) => name);
    if (invalid.length > 0) return problem(`${invalid.join(", ")} is not valid`, REINDEX);
    const expected = POSTGRES_MIGRATIONS.flatMap((migration) => [...textOfMigration(migration).matchAll(CREATED_INDEX)])
      .filter(([, , table]) => TABLES.some(({ name }) => name === table))
      .map(([, name]) => name as string);
    const missing = expected.filter((name) => !rows.some((row) => row.name === name));
    return missing.length === 0
      ? ok("all there, and valid")
      : problem(`${missing.join(", ")} is missing`, "create it as in src/store/migrations/postgres");
  });

const GRANT_SEQUENCES = "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO the role of the service";

const ids = (query: Run): Check =>
  check("ids are assigned once", async () => {
    for (const { name } of NUMBERED_TABLES) {
      const sequence = `pg_get_serial_sequence('${name}', 'id')`;
      const [may] = await query<{ use: boolean }>(`SELECT has_sequence_privilege(${sequence}, 'USAGE') AS use`);
      if (!may?.use) return problem(`permission denied for the sequence of the table ${name}`, GRANT_SEQUENCES);
      const [row] = await query<{ highest: bigint; assigned: bigint }>(`SELECT coalesce(max(id), 0) AS highest,
        coalesce(pg_sequence_last_value(${sequence}::regclass), 0) AS assigned FROM ${name}`);
      if (row && row.highest > row.assigned)
        return problem(
          `the table ${name} has ids up to ${row.highest}, and the next one would be ${row.assigned + 1n}`,
          `SELECT setval(${sequence}, ${row.highest})`,
        );
    }
    return ok("yes");
  });
