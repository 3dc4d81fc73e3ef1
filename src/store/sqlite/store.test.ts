import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { issueKey, temporaryFolder } from "../../../test/harness/service.ts";
import { OperatorError } from "../../domain/fault.ts";
import { newTally } from "../../domain/tally.ts";
import { animalLists, orderLists } from "../lists.ts";
import { isCurrent, migrate } from "../migrate.ts";
import { SQLITE_MIGRATIONS } from "../migrations/sqlite/index.ts";
import { type Store, StoreUnavailable } from "../store.ts";
import { attempt, lockForServing, openAlone } from "./database.ts";
import { SQLITE } from "./dialect.ts";
import { migrationTarget } from "./migration-target.ts";
import { openSqliteStore } from "./store.ts";

const folder = temporaryFolder();
const open = (name: string) => openSqliteStore(join(folder, name), { create: true, serve: true });
/** Creates an animal and returns its id. */
const createIn = async (store: Store): Promise<bigint> => {
  const written = await store.animals.create(animal);
  if (written.kind !== "done") throw new Error(written.kind);
  return written.result.id;
};
const animal = { name: "Rex", categoryId: 7n, status: "available" } as const;

describe("opening", () => {
  test("makes the folder, for its owner alone, and sets the file up to be safe", async () => {
    const path = join(folder, "deep/er/a.db");
    await (await openSqliteStore(path, { create: true, serve: true })).close();
    expect(statSync(join(folder, "deep/er")).mode & 0o777).toBe(0o700);
    const { db } = await openAlone(path, false);
    const pragma = (name: string) => Object.values(db.query(`PRAGMA ${name}`).get() as object)[0];
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2n);
    expect(pragma("foreign_keys")).toBe(1n);
    db.close();
  });

  test("what cannot be opened is one clear line", async () => {
    const text = join(folder, "text.db");
    writeFileSync(text, "This is a letter, and no database at all. ".repeat(50));
    const foreign = join(folder, "foreign.db");
    const other = new Database(foreign);
    other.run("CREATE TABLE invoices (id INTEGER)");
    other.close();
    mkdirSync(join(folder, "folder.db"));
    mkdirSync(join(folder, "unlockable.db-serving"));
    const newer = join(folder, "newer.db");
    const { db } = await openAlone(newer, false);
    db.run("INSERT INTO migrations VALUES (99, 'later', 'x', 0)");
    db.close();
    for (const [path, reason] of [
      [text, "file is not a database"],
      [foreign, "database of another program"],
      [join(folder, "folder.db"), "unable to open"],
      [join(folder, "unlockable.db"), "cannot lock"],
      [join(text, "below/a.db"), "cannot make the folder"],
      ["/proc/animal-store/a.db", "cannot make the folder"],
      [newer, "schema 99, and this version knows only up to 2"],
    ] as const) {
      const failure = await openSqliteStore(path, { create: true, serve: true }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(OperatorError);
      expect((failure as Error).message).toContain(reason);
      expect((failure as Error).message).not.toContain("\n");
    }
    await expect(openSqliteStore(join(folder, "none.db"), { create: false, serve: false })).rejects.toThrow(
      "there is no database at",
    );
  });

  test("a command never migrates a database that a service runs on", async () => {
    const path = join(folder, "older.db");
    const old = new Database(path);
    old.run(`PRAGMA application_id = ${0x414e5354}`);
    const target = migrationTarget(old);
    await migrate(target, SQLITE_MIGRATIONS.slice(0, 1));
    old.close();
    const running = lockForServing(path, 0);
    await expect(openSqliteStore(path, { create: false, serve: false })).rejects.toThrow("another process serves");
    running();
    await (await openSqliteStore(path, { create: false, serve: false })).close();
    const { db } = await openAlone(path, false);
    expect(await isCurrent(migrationTarget(db), SQLITE_MIGRATIONS)).toBe(true);
    db.close();
  });

  test("a command that finds another at the migration waits until that one is done", async () => {
    const path = join(folder, "shared.db");
    const migrating = lockForServing(path, 0);
    const waiting = openAlone(path, false);
    const other = new Database(path, { strict: true });
    await migrate(migrationTarget(other), SQLITE_MIGRATIONS);
    other.close();
    const { db } = await waiting;
    expect(await isCurrent(migrationTarget(db), SQLITE_MIGRATIONS)).toBe(true);
    db.close();
    migrating();
  });

  test("one process at a time serves a file, while others may use it", async () => {
    const first = await open("one.db");
    await expect(open("one.db")).rejects.toThrow("another process serves");
    const beside = await openSqliteStore(join(folder, "one.db"), { create: false, serve: false });
    await beside.close();
    await first.close();
    await (await open("one.db")).close();
  });
});

describe("animals", () => {
  test("ids are never reused, not even after the newest is gone", async () => {
    const path = join(folder, "ids.db");
    const store = await openSqliteStore(path, { create: true, serve: true });
    const ids = [await createIn(store), await createIn(store)];
    const db = new Database(path);
    db.run("DELETE FROM animals");
    db.close();
    ids.push(await createIn(store));
    expect(ids).toEqual([1n, 2n, 3n]);
    await store.close();
  });

  test("no list scans a table, or sorts more than a page", async () => {
    const { db } = await openAlone(join(folder, "plan.db"), false);
    const planOf = (sql: string) =>
      (db.query(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map((row) => row.detail);
    const plans = (statements: Record<string, string>, table: string) =>
      Object.fromEntries(
        Object.entries(statements).map(([name, sql]) => {
          const steps = planOf(sql).filter((detail) => new RegExp(`^(SCAN|SEARCH) ${table}`).test(detail));
          return [name, [...new Set(steps)]];
        }),
      );
    const byStatus = (table: string) => [`SEARCH ${table} USING INDEX ${table}_by_status (status=? AND rowid>?)`];
    expect(plans(animalLists(SQLITE), "animals")).toEqual({
      all: ["SEARCH animals USING INTEGER PRIMARY KEY (rowid>?)"],
      byStatus: byStatus("animals"),
      byCategory: ["SEARCH animals USING INDEX animals_by_category (category_id=? AND status=? AND rowid>?)"],
      byCategoryAndStatus: ["SEARCH animals USING INDEX animals_by_category (category_id=? AND status=? AND rowid>?)"],
      byIds: ["SEARCH animals USING INTEGER PRIMARY KEY (rowid=?)"],
    });
    expect(plans(orderLists(SQLITE), "orders")).toEqual({
      all: ["SEARCH orders USING INTEGER PRIMARY KEY (rowid>?)"],
      byStatus: byStatus("orders"),
      byAnimal: ["SEARCH orders USING INDEX orders_by_animal (animal_id=? AND status=? AND rowid>?)"],
      byAnimalAndStatus: ["SEARCH orders USING INDEX orders_by_animal (animal_id=? AND status=? AND rowid>?)"],
    });
    db.close();
  });
});

describe("answers that are kept", () => {
  test("are swept, a part at a time", async () => {
    const path = join(folder, "sweep.db");
    const store = await openSqliteStore(path, { create: true, serve: true });
    const { id } = await issueKey(path);
    const db = new Database(path);
    db.run(
      `INSERT INTO answers WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
       SELECT '${id}', 't' || i, '', CASE WHEN i <= 210 THEN 1000 ELSE 2000 END, 201, '', '' FROM n`,
    );
    const left = () => (db.query("SELECT count(*) AS count FROM answers").get() as { count: number }).count;
    expect(await store.sweep(999)).toBe(false);
    expect(left()).toBe(450);
    const rounds = [];
    for (let i = 0; i < 3; i++) rounds.push([await store.sweep(1000), left()]);
    expect(rounds).toEqual([
      [true, 350],
      [true, 250],
      [false, 240],
    ]);
    db.close();
    await store.close();
  });
});

describe("trouble", () => {
  test("while another process writes, a write waits for it and the event loop goes on", async () => {
    const path = join(folder, "busy.db");
    const store = await openSqliteStore(path, { create: true, serve: true });
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    const created = createIn(store);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await Bun.sleep(100);
    expect(ticks).toBeGreaterThan(5);
    expect((await store.animals.list({ size: 5 })).rows).toEqual([]);
    other.run("COMMIT");
    expect(await created).toBe(1n);
    clearInterval(timer);
    other.close();
    await store.close();
  });

  test("a lock that is never let go of ends in StoreUnavailable, and nothing is kept", async () => {
    const path = join(folder, "stuck.db");
    const store = await openSqliteStore(path, { create: true, serve: true });
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    await expect(store.animals.create(animal)).rejects.toBeInstanceOf(StoreUnavailable);
    other.run("ROLLBACK");
    other.close();
    expect((await store.animals.list({ size: 5 })).rows).toEqual([]);
    await store.close();
  });

  test("counters wait for a lock too", async () => {
    const path = join(folder, "tallies.db");
    const store = await openSqliteStore(path, { create: true, serve: true });
    const { id } = await issueKey(path);
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    const tally = newTally();
    tally.minute.used = 7;
    const saved = store.tallies.save([[id, tally]]);
    await Bun.sleep(50);
    other.run("ROLLBACK");
    other.close();
    await saved;
    expect((await store.tallies.get(id))?.minute.used).toBe(7);
    await store.close();
  });

  test("what SQLite cannot do now is StoreUnavailable; a mistake of ours is not", async () => {
    const { db } = await openAlone(join(folder, "faults.db"), false);
    db.run("PRAGMA query_only = ON");
    expect(() => attempt(() => db.run("DELETE FROM animals"))).toThrow(StoreUnavailable);
    db.run("PRAGMA query_only = OFF");
    db.run("PRAGMA max_page_count = 1");
    const fill = () =>
      db.run(`INSERT INTO animals (name, category_id, status) VALUES ('${"x".repeat(100_000)}', 1, 'sold')`);
    expect(() => attempt(fill)).toThrow(StoreUnavailable);
    expect(() => attempt(() => db.run("SELECT * FROM nowhere"))).toThrow("no such table");
    expect(() => attempt(() => db.run("SELECT * FROM nowhere"))).not.toThrow(StoreUnavailable);
    db.close();
  });
});
