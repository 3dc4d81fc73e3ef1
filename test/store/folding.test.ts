import type { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fold } from "../../src/domain/stock/fold.ts";
import { POSTGRES_MIGRATIONS } from "../../src/store/migrations/postgres/index.ts";
import { SQLITE_MIGRATIONS } from "../../src/store/migrations/sqlite/index.ts";
import type { Store, Version } from "../../src/store/ports/store.ts";
import { openSession } from "../../src/store/postgres/connections/connection.ts";
import { PLANNING } from "../../src/store/postgres/connections/dialect.ts";
import { LockWait, PATIENCE } from "../../src/store/postgres/connections/lock-wait.ts";
import { migrateDatabase } from "../../src/store/postgres/migrate.ts";
import { SELECT_UNFOLDED } from "../../src/store/postgres/schema/folding.ts";
import { migrationTarget as postgresTarget } from "../../src/store/postgres/schema/migration-target.ts";
import { openForServing as openPostgres } from "../../src/store/postgres/store.ts";
import { FOLD_BATCH_SIZE } from "../../src/store/schema/folding.ts";
import {
  type DueStep,
  type Migration,
  type MigrationTarget,
  migrate,
  newestOf,
  schemaState,
} from "../../src/store/schema/migrate.ts";
import { checkSqlite } from "../../src/store/sqlite/checkup.ts";
import { APPLICATION_ID } from "../../src/store/sqlite/file/database.ts";
import { migrationTarget as sqliteTarget } from "../../src/store/sqlite/schema/migration-target.ts";
import { openForServing as openSqlite } from "../../src/store/sqlite/store.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { emptyDatabaseMaker, withSql } from "../harness/servers/postgres.ts";

// Names are folded here, and not by the database. So those that were there before are filled in by a migration, in
// batches, and those that release 1.1.0 adds afterwards by whoever runs this version.

const newDatabase = await emptyDatabaseMaker();

const COUNT = 12_345;
const BATCH = 5_000;
const NAMES = ["ZOË", "Zoe\u0308", "Σίσυφος", "🐕 Rex", "İpek", 'O\'Brien \\ "x"'];
const nameOf = (i: number): string => `${NAMES[i % NAMES.length]} ${i}`;

/** The statement with which release 1.1.0 adds animals: it does not know of folded names. */
const insertOld = (from: number, to: number): string =>
  `INSERT INTO animals (name, category_id, status) VALUES ${Array.from(
    { length: to - from + 1 },
    (_, i) => `('${nameOf(from + i).replace("'", "''")}', 1, 'available')`,
  ).join(", ")}`;

const WRONG = "SELECT id, name, folded_name FROM animals";
interface Row {
  readonly id: bigint | number;
  readonly name: string;
  readonly folded_name: string | null;
}
/** Returns the animals with a wrong folded name, and the number of those with none. */
const judge = (rows: readonly Row[]) => ({
  wrong: rows.filter(({ name, folded_name }) => folded_name !== null && folded_name !== fold(name)),
  unfolded: rows.filter(({ folded_name }) => folded_name === null).map(({ id }) => Number(id)),
});

/** Runs steps until the one that is asked for has run so often, and then does something else, or ends. */
function during(target: MigrationTarget, times: number, then: () => unknown): MigrationTarget {
  let folds = 0;
  return {
    ...target,
    async run(due: DueStep) {
      if (due.step.kind === "fold" && folds++ === times) await then();
      return target.run(due);
    },
  };
}

const interrupt = (): never => {
  throw new Error("interrupted");
};

async function expectFound(store: Store, prefix: string, names: readonly string[]): Promise<void> {
  const { rows } = await store.animals.list({ name: fold(prefix), size: 100 });
  expect(rows.map(({ name }) => name).sort()).toEqual([...names].sort());
}

/** Returns those of the first animals whose name begins with a prefix. */
const namesWith = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => nameOf(i + 1)).filter((name) => fold(name).startsWith(fold(prefix)));

describe("SQLite", () => {
  const KNOWN_BEFORE: readonly Migration[] = SQLITE_MIGRATIONS.slice(0, 3);

  async function olderFile(): Promise<{ path: string; db: Database }> {
    const path = join(temporaryFolder(), "store.db");
    const db = openDatabaseFile(path, { strict: true, safeIntegers: true });
    db.run("PRAGMA journal_mode = WAL");
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    await migrate(sqliteTarget(db), KNOWN_BEFORE);
    for (let from = 1; from <= COUNT; from += BATCH) db.run(insertOld(from, Math.min(COUNT, from + BATCH - 1)));
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    return { path, db };
  }

  test("a migration folds the names that there are, goes on after an interruption, and keeps the log small", async () => {
    const { path, db } = await olderFile();
    await expect(migrate(during(sqliteTarget(db), 1, interrupt), SQLITE_MIGRATIONS)).rejects.toThrow("interrupted");
    const rows = () => db.query(WRONG).all() as Row[];
    expect(judge(rows())).toMatchObject({ wrong: [], unfolded: expect.objectContaining({ length: COUNT - BATCH }) });
    expect(schemaState(await sqliteTarget(db).applied(), SQLITE_MIGRATIONS)).toMatchObject({ kind: "older" });

    db.run("DELETE FROM animals WHERE id IN (1, 6000, 12345)");
    const bytesBefore = statSync(`${path}-wal`).size;
    let mostBytes = 0;
    const target = sqliteTarget(db);
    await migrate(
      {
        ...target,
        run: (due) => {
          mostBytes = Math.max(mostBytes, statSync(`${path}-wal`).size);
          return target.run(due);
        },
      },
      SQLITE_MIGRATIONS,
    );
    expect(judge(rows())).toEqual({ wrong: [], unfolded: [] });
    expect(schemaState(await target.applied(), SQLITE_MIGRATIONS).kind).toBe("current");
    expect(mostBytes).toBeLessThan(Math.max(bytesBefore, 2_000_000));
    db.close();
  });

  test("a second migration that folds names goes through all of them again", async () => {
    const { db } = await olderFile();
    const corrections = SQLITE_MIGRATIONS.find(({ name }) => name === "corrections") as Migration;
    const newest = newestOf(SQLITE_MIGRATIONS);
    const again: Migration = {
      number: newest + 1,
      name: "again",
      servesFrom: newest,
      steps: [
        { kind: "sql" as const, sql: "UPDATE animals SET folded_name = NULL" },
        ...corrections.steps.filter(({ kind }) => kind === "fold"),
      ].map((step) => ({ ...step })),
    };
    await migrate(sqliteTarget(db), [...SQLITE_MIGRATIONS, again]);
    expect(judge(db.query(WRONG).all() as Row[])).toEqual({ wrong: [], unfolded: [] });
    db.close();
  });

  test("what doctor says mends a wrong name, whether a few are or many", async () => {
    for (const [wrong, detail] of [
      ["2, 5", "not so for 2: 2, 5"],
      ["3, 4, 5, 2100", "not so for 4: 3, 4, 5, …"],
    ] as const) {
      const path = join(temporaryFolder(), "store.db");
      await (await openSqlite(path)).close();
      const finding = async () => {
        const { checks, close } = checkSqlite(path, []);
        const check = checks.find(({ name }) => name === "animals are found by their names");
        const found = await check?.run();
        await close();
        return found;
      };
      const change = (statement: string) => {
        const db = openDatabaseFile(path);
        db.run(statement);
        db.close(true);
      };
      change(insertOld(1, 2_100));
      expect(await finding()).toMatchObject({
        kind: "ok",
        detail: expect.stringMatching(/^2,100, of which 2,100 will be/),
      });
      const fill = async () => {
        const store = await openSqlite(path);
        while (await store.maintenance.foldNames());
        await store.close();
      };
      await fill();
      expect(await finding()).toMatchObject({ kind: "ok", detail: "2,100" });
      change(`UPDATE animals SET folded_name = 'wrong' WHERE id IN (${wrong})`);
      const found = await finding();
      expect(found).toMatchObject({ kind: "problem", detail });
      change((found as { remedy: string }).remedy.split(", with the service")[0] as string);
      await fill();
      expect(await finding()).toMatchObject({ kind: "ok", detail: "2,100" });
    }
  });

  test("a service folds what release 1.1.0 has added since, some at a time, and otherwise writes nothing", async () => {
    const path = join(temporaryFolder(), "store.db");
    const store = await openSqlite(path);
    await store.animals.create({ name: "New", categoryId: 1n, status: "sold" });
    const version = store.version();
    expect(await store.maintenance.foldNames()).toBe(false);
    expect(store.version()).toBe(version as Version);
    const db = openDatabaseFile(path);
    db.run(insertOld(1, FOLD_BATCH_SIZE + 6));
    await expectFound(store, "zoë", []);
    expect(await store.maintenance.foldNames()).toBe(true);
    expect(await store.maintenance.foldNames()).toBe(false);
    expect(store.version()?.changes).not.toBe(version?.changes as number);
    expect(judge(db.query(WRONG).all() as Row[])).toEqual({ wrong: [], unfolded: [] });
    await expectFound(store, "ZOË 49", namesWith("ZOË 49", FOLD_BATCH_SIZE + 6));
    db.close();
    await store.close();
  });
});

describe("PostgreSQL", () => {
  async function olderDatabase(): Promise<string> {
    const url = await newDatabase();
    await migrateDatabase(url, () => {}, { migrations: POSTGRES_MIGRATIONS.slice(0, 2) });
    await withSql(url, async (sql) => {
      for (let from = 1; from <= COUNT; from += BATCH)
        await sql.unsafe(insertOld(from, Math.min(COUNT, from + BATCH - 1)));
    });
    return url;
  }
  const judged = (url: string) => withSql(url, async (sql) => judge(await sql.unsafe(WRONG)));

  async function migrateWith(url: string, change: (target: MigrationTarget) => MigrationTarget): Promise<void> {
    const [session, observer] = [await openSession(url, {}), await openSession(url, {})];
    const wait = new LockWait({
      ...PATIENCE,
      limitMs: 60_000,
      observer: async () => observer,
      pid: 0,
      onProgress: () => {},
    });
    try {
      await migrate(change(postgresTarget(session, wait)), POSTGRES_MIGRATIONS);
    } finally {
      await session.close();
      await observer.close();
    }
  }

  test("a migration folds the names that there are, and goes on after an interruption", async () => {
    const url = await olderDatabase();
    await expect(migrateWith(url, (target) => during(target, 1, interrupt))).rejects.toThrow("interrupted");
    expect(await judged(url)).toMatchObject({
      wrong: [],
      unfolded: expect.objectContaining({ length: COUNT - BATCH }),
    });
    await migrateWith(url, (target) => target);
    expect(await judged(url)).toEqual({ wrong: [], unfolded: [] });
  });

  test("a migration waits for nobody who changes, adds or removes animals, and a service folds what is left", async () => {
    const url = await olderDatabase();
    const other = await openSession(url, {});
    const holdTwo = () => other.run("BEGIN; SELECT id FROM animals WHERE id IN (77, 10001) FOR UPDATE");
    await migrateWith(url, (target) =>
      during(during(target, 0, holdTwo), 2, () =>
        withSql(url, async (sql) => {
          // Behind what is folded already, and before it.
          await sql`INSERT INTO animals (id, name, category_id, status) VALUES (-5, 'Ärger', 1, 'sold')`;
          await sql`INSERT INTO animals (name, category_id, status) VALUES ('Ärger', 1, 'sold')`;
          await sql`DELETE FROM animals WHERE id IN (2, 11000)`;
          await sql`UPDATE animals SET name = 'Neu', folded_name = 'neu' WHERE id = 12000`;
        }),
      ),
    );
    const state = await judged(url);
    expect(state.wrong).toEqual([]);
    expect(state.unfolded.sort((a, b) => a - b)).toEqual([-5, 77, 10001]);

    const store = await openPostgres(url, { connections: 2 });
    expect(await store.maintenance.foldNames()).toBe(false);
    expect((await judged(url)).unfolded.sort((a, b) => a - b)).toEqual([77, 10001]);
    await expectFound(store, "ärger", ["Ärger", "Ärger"]);
    await other.run("COMMIT");
    expect(await store.maintenance.foldNames()).toBe(false);
    expect(await judged(url)).toEqual({ wrong: [], unfolded: [] });
    await store.close();
    await other.close();
  });

  test("services that fold at the same time fold everything, some at a time, and each name once", async () => {
    const url = await newDatabase();
    const stores = [await openPostgres(url, { connections: 1 }), await openPostgres(url, { connections: 1 })];
    await withSql(url, (sql) => sql.unsafe(insertOld(1, 3 * FOLD_BATCH_SIZE + 6)));
    const rounds = await Promise.all(
      stores.map(async (store) => {
        let rounds = 1;
        while (await store.maintenance.foldNames()) rounds++;
        return rounds;
      }),
    );
    for (const store of stores) await store.maintenance.foldNames();
    expect(Math.max(...rounds)).toBeGreaterThan(1);
    expect(await judged(url)).toEqual({ wrong: [], unfolded: [] });
    await expectFound(stores[0] as Store, "ZOË 49", namesWith("ZOË 49", 3 * FOLD_BATCH_SIZE + 6));
    for (const store of stores) await store.close();
  });

  test("asking whether there is anything to fold never walks through the table", async () => {
    const url = await newDatabase();
    await (await openPostgres(url, { connections: 1 })).close();
    await withSql(url, async (sql) => {
      for (const [name, value] of Object.entries(PLANNING)) await sql.unsafe(`SET ${name} = ${value}`);
      await sql.unsafe(insertOld(1, COUNT));
      // So it looks as if all of them were to be folded.
      await sql.unsafe("ANALYZE");
      await sql.unsafe("UPDATE animals SET folded_name = name");
      const rows = await sql.unsafe(`EXPLAIN (ANALYZE, TIMING OFF) ${SELECT_UNFOLDED}`);
      const plan = rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join("\n");
      expect(plan).toContain("Index Scan using animals_to_fold");
      expect(plan).not.toContain("Rows Removed");
      expect(plan).not.toContain("Sort");
    });
  });
});
