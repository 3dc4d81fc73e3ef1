import { describe } from "bun:test";
import { join } from "node:path";
import { Redis } from "ioredis";
import { backupSqlite } from "../../../src/store/sqlite/backup/backup.ts";
import { setUp } from "../cleanup.ts";
import { temporaryFolder } from "../folder.ts";
import { openDatabaseFile } from "../rows/sqlite.ts";
import { databaseMaker, withSql } from "../servers/postgres.ts";
import { hasRedis, redisDatabaseMaker } from "../servers/redis.ts";
import {
  type Backend,
  newSqliteStorage,
  type StorageSettings,
  startService,
  type TestService,
  type TestServiceOptions,
} from "./service.ts";

const pathOf = ({ DATABASE_URL }: StorageSettings): string => DATABASE_URL.slice("sqlite:".length);

export function querySqlite(path: string, statement: string): unknown[] {
  const db = openDatabaseFile(path);
  try {
    return db.query(statement).all();
  } finally {
    db.close();
  }
}

export const sqlite: Backend = {
  newStorage: async () => newSqliteStorage(),
  query: async (storage, statement) => querySqlite(pathOf(storage), statement),
  async contents(storage) {
    const copy = join(temporaryFolder(), "copy.db");
    await backupSqlite(pathOf(storage), copy);
    return Buffer.from(await Bun.file(copy).bytes()).toString("latin1");
  },
};

/** To be called outside of tests and hooks: servers that it starts live as long as the enclosing describe. */
async function postgresAndRedis(): Promise<Backend> {
  const newDatabase = await databaseMaker();
  const newRedisDatabase = await redisDatabaseMaker();
  return {
    newStorage: async () => ({ DATABASE_URL: await newDatabase(), REDIS_URL: await newRedisDatabase() }),
    query: ({ DATABASE_URL }, statement) => withSql(DATABASE_URL, async (sql) => [...(await sql.unsafe(statement))]),
    contents: async (storage) => `${await rowsOf(storage)}\n${await hashesOf(storage)}`,
  };
}

const rowsOf = ({ DATABASE_URL }: StorageSettings): Promise<string> =>
  withSql(DATABASE_URL, async (sql) => {
    const tables = await sql`SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`;
    const rows: string[] = [];
    for (const { table_name } of tables)
      for (const { row } of await sql`SELECT t::text AS row FROM ${sql(table_name)} t`) rows.push(row);
    return rows.join("\n");
  });

async function hashesOf({ REDIS_URL }: StorageSettings): Promise<string> {
  const client = new Redis(REDIS_URL as string);
  const names = await client.keys("*");
  const hashes = await Promise.all(names.map((name) => client.hgetall(name)));
  client.disconnect();
  return JSON.stringify([names, hashes]);
}

/** The parts that a specification is given. */
export interface SpecContext {
  readonly backend: Backend;
  /** Starts a service on this backend. */
  readonly startService: (options?: Omit<TestServiceOptions, "backend">) => Promise<TestService>;
  readonly setUp: typeof setUp;
}

/**
 * Runs a specification on SQLite, and on PostgreSQL with Redis, under the same test names.
 * TEST_STORES=sqlite leaves the second one out; without redis-server its tests are reported as skipped.
 */
export function onEveryStore(specify: (context: SpecContext) => void): void {
  const contextOf = (backend: Backend): SpecContext => ({
    backend,
    startService: (options) => startService({ ...options, backend }),
    setUp,
  });
  describe("on SQLite", () => specify(contextOf(sqlite)));
  if (process.env.TEST_STORES === "sqlite") return;
  const name = "on PostgreSQL and Redis";
  if (hasRedis) describe(name, async () => specify(contextOf(await postgresAndRedis())));
  // Bun would report hooks as skipped tests without a name.
  else describe.skip(name, () => specify({ ...contextOf(sqlite), setUp: () => {} }));
}
