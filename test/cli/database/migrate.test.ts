import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { POSTGRES_MIGRATIONS } from "../../../src/store/migrations/postgres/index.ts";
import { SQLITE_MIGRATIONS } from "../../../src/store/migrations/sqlite/index.ts";
import { migrateDatabase } from "../../../src/store/postgres/migrate.ts";
import { migrate, newestOf } from "../../../src/store/schema/migrate.ts";
import { APPLICATION_ID } from "../../../src/store/sqlite/file/database.ts";
import { migrationTarget } from "../../../src/store/sqlite/schema/migration-target.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { run, serve } from "../../harness/program/program.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";
import { emptyDatabaseMaker } from "../../harness/servers/postgres.ts";

const newDatabase = await emptyDatabaseMaker();
const cwd = temporaryFolder();
let files = 0;

/** For each kind of database: an address of none, and one with the first schema. */
const KINDS = [
  {
    kind: "PostgreSQL",
    newest: newestOf(POSTGRES_MIGRATIONS),
    empty: () => newDatabase(),
    async older() {
      const url = await newDatabase();
      await migrateDatabase(url, () => {}, { migrations: POSTGRES_MIGRATIONS.slice(0, 1) });
      return url;
    },
  },
  {
    kind: "SQLite",
    newest: newestOf(SQLITE_MIGRATIONS),
    empty: async () => `sqlite:${++files}.db`,
    async older() {
      const name = `${++files}.db`;
      const db = openDatabaseFile(join(cwd, name));
      db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
      await migrate(migrationTarget(db), SQLITE_MIGRATIONS.slice(0, 1));
      db.close();
      return `sqlite:${name}`;
    },
  },
] as const;

const on = (url: string, ...args: string[]) =>
  run(args, { cwd, env: { DATABASE_URL: url, PORT: "0", LOG_LEVEL: "error" } });

describe.each(KINDS)("animal-store migrate on $kind", ({ newest, empty, older }) => {
  test("creates the schema, and says so; the next one has nothing to do", async () => {
    const url = await empty();
    expect(await on(url, "migrate", "--check")).toMatchObject({
      exitCode: 1,
      out: expect.stringContaining(`has no schema yet. To create schema ${newest}: animal-store migrate`),
    });
    expect(existsSync(join(cwd, url.slice("sqlite:".length)))).toBe(false);
    expect(await on(url, "migrate")).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining(`Created schema ${newest} in`),
    });
    for (const args of [["migrate"], ["migrate", "--check"]])
      expect(await on(url, ...args)).toMatchObject({
        exitCode: 0,
        out: expect.stringContaining(`is up to date, at schema ${newest}.`),
        err: "",
      });
  });

  test("brings an older schema up to date, however many run at once", async () => {
    const url = await older();
    const check = await on(url, "migrate", "--check", "--json");
    expect([check.exitCode, JSON.parse(check.out)]).toEqual([
      1,
      expect.objectContaining({
        from: 1,
        to: newest,
        migrations: expect.arrayContaining([expect.stringMatching(new RegExp(`^${newest} `))]),
      }),
    ]);
    const all = await Promise.all(Array.from({ length: 4 }, () => on(url, "migrate")));
    for (const { exitCode, out } of all) {
      expect(exitCode).toBe(0);
      // One that looks while another one migrates finds it half way.
      expect(out).toMatch(new RegExp(`Brought .* from schema \\d+ to ${newest}:\\n {2}\\d+ |is up to date`));
    }
    expect(all.some(({ out }) => out.includes(`from schema 1 to ${newest}:\n  2 `))).toBe(true);
  });

  test("is what a command, and a service with MIGRATE=off, ask for", async () => {
    const url = await older();
    const env = { DATABASE_URL: url, LOG_LEVEL: "error", MIGRATE: "off" };
    const refused = [
      await on(url, "keys", "list"),
      await on(url, "keys", "create", "--name", "x", "--plan", "free"),
      await run(["serve"], { cwd, env: { ...env, PORT: "0" } }),
    ];
    for (const { exitCode, out, err } of refused) {
      expect([exitCode, out]).toEqual([1, ""]);
      expect(err).toContain(`the database has schema 1, and this version needs ${newest}: run animal-store migrate\n`);
      expect(err.trim().split("\n")).toHaveLength(1);
    }
    expect((await on(url, "migrate", "--check")).exitCode).toBe(1);
    expect((await on(url, "migrate")).exitCode).toBe(0);
    const service = await serve({ cwd, env });
    expect((await on(url, "keys", "list")).exitCode).toBe(0);
    expect((await on(url, "migrate")).out).toContain("is up to date");
    expect(await service.kill("SIGTERM")).toBe(0);
  });

  test("is what a service with MIGRATE=off asks for when there is nothing yet", async () => {
    const url = await empty();
    const { exitCode, err } = await run(["serve"], { cwd, env: { DATABASE_URL: url, PORT: "0", MIGRATE: "off" } });
    expect(exitCode).toBe(1);
    expect(err).toContain("run animal-store migrate, which creates");
    expect(err.trim().split("\n")).toHaveLength(1);
  });
});
