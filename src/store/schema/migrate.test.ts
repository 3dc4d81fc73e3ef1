import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import type { OperatorError, Remedy } from "../../base/operator-error.ts";
import { SQLITE_MIGRATIONS } from "../migrations/sqlite/index.ts";
import { openShared } from "../sqlite/file/database.ts";
import { migrationTarget } from "../sqlite/schema/migration-target.ts";
import {
  type AppliedMigration,
  CHANGES_NO_SCHEMA,
  COPIES_FROM,
  COPIES_INTO,
  digestOfMigration,
  isWorkDue,
  MIGRATES,
  type Migration,
  migrate,
  ONLY_CREATES,
  type SchemaState,
  schemaState,
} from "./migrate.ts";

const folder = temporaryFolder();
const fresh = () => new Database(":memory:", { strict: true, safeIntegers: true });

const migration = (number: number, name: string, sql: string, more: Partial<Migration> = {}): Migration => ({
  number,
  name,
  servesFrom: number,
  steps: [{ kind: "sql", sql }],
  ...more,
});
const one = migration(1, "one", "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1);");
const two = migration(2, "two", "INSERT INTO a SELECT x + 1 FROM a;");

const rows = (db: Database) => db.query("SELECT x FROM a ORDER BY x").all();

describe("migrations", () => {
  test("run once, in order", async () => {
    const db = fresh();
    expect(await migrate(migrationTarget(db), [one])).toEqual({ from: 0, to: 1, migrations: ["1 one"] });
    expect(await migrate(migrationTarget(db), [one, two])).toEqual({ from: 1, to: 2, migrations: ["2 two"] });
    expect(await migrate(migrationTarget(db), [one, two])).toEqual({ from: 2, to: 2, migrations: [] });
    expect(rows(db)).toEqual([{ x: 1n }, { x: 2n }]);
  });

  test("that fail leave nothing behind", async () => {
    const db = fresh();
    const broken = migration(2, "broken", "INSERT INTO a VALUES (9); INSERT INTO missing VALUES (1);");
    await expect(migrate(migrationTarget(db), [one, broken])).rejects.toThrow("missing");
    expect(db.query("SELECT * FROM sqlite_schema").all()).toEqual([]);
    await migrate(migrationTarget(db), [one]);
    await expect(migrate(migrationTarget(db), [one, broken])).rejects.toThrow("missing");
    expect(rows(db)).toEqual([{ x: 1n }]);
    await migrate(migrationTarget(db), [one, two]);
    expect(rows(db)).toEqual([{ x: 1n }, { x: 2n }]);
  });

  test("that were changed after they ran are refused", async () => {
    const db = fresh();
    await migrate(migrationTarget(db), [one]);
    const changed = migration(1, "one", "CREATE TABLE a (x INTEGER);");
    await expect(migrate(migrationTarget(db), [changed])).rejects.toThrow("migration 1 (one) is not the one");
  });

  test("that another process ran in between are not run again", async () => {
    const db = fresh();
    const target = migrationTarget(db);
    await migrate(target, [one]);
    await migrate({ ...target, applied: () => [] }, [one]);
    const before = target.applied();
    await migrate(target, [one, two]);
    await migrate({ ...target, applied: () => before }, [one, two]);
    expect(rows(db)).toEqual([{ x: 1n }, { x: 2n }]);
  });

  test("record what they need in a database of a release that did not", async () => {
    const db = fresh();
    db.run("CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, digest TEXT, applied_at INTEGER)");
    db.run(one.steps[0]?.sql as string);
    db.run("INSERT INTO migrations VALUES (1, 'one', ?, 0)", [digestOfMigration(one)]);
    const expand = { ...two, servesFrom: 1 };
    await migrate(migrationTarget(db), [one, expand]);
    expect(db.query("SELECT number, serves_from, steps_done FROM migrations").all()).toEqual([
      { number: 1n, serves_from: null, steps_done: null },
      { number: 2n, serves_from: 1n, steps_done: 1n },
    ]);
  });

  test("are recorded in the empty table that such a release left when it was killed", async () => {
    const db = fresh();
    db.run("CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, digest TEXT, applied_at INTEGER)");
    await migrate(migrationTarget(db), [one]);
    expect(schemaState(await migrationTarget(db).applied(), [one])).toEqual({ kind: "current", number: 1 });
  });

  test("fill a table in batches, and go on where they were interrupted", async () => {
    const db = fresh();
    await migrate(migrationTarget(db), [one]);
    db.run(
      "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO a SELECT i FROM n",
    );
    const filling = migration(2, "filling", "", {
      steps: [
        { kind: "sql", sql: "ALTER TABLE a ADD COLUMN y INTEGER" },
        { kind: "fill", sql: "UPDATE a SET y = x * 2 WHERE rowid IN (SELECT rowid FROM a WHERE y IS NULL LIMIT 100)" },
        { kind: "index", sql: "CREATE INDEX by_y ON a (y)" },
      ],
    });
    const target = migrationTarget(db);
    let runs = 0;
    const interrupted = {
      ...target,
      run: (due: Parameters<typeof target.run>[0]) => {
        if (++runs === 5) throw new Error("interrupted");
        return target.run(due);
      },
    };
    await expect(migrate(interrupted, [one, filling])).rejects.toThrow("interrupted");
    expect(db.query("SELECT count(*) AS filled FROM a WHERE y IS NOT NULL").get()).toEqual({ filled: 300n });
    expect(schemaState(await target.applied(), [one, filling])).toMatchObject({ kind: "older", number: 2 });
    await migrate(interrupted, [one, filling]);
    // Before: the column and three batches. After: seven batches, the one that finds nothing, the index.
    expect(runs).toBe(5 + 9);
    expect(db.query("SELECT count(*) AS filled FROM a WHERE y = x * 2").get()).toEqual({ filled: 1000n });
    expect(schemaState(await target.applied(), [one, filling])).toEqual({ kind: "current", number: 2 });
  });
});

describe("a schema", () => {
  const appliedTo = (number: number, servesFrom: number | undefined): AppliedMigration => ({
    number,
    digest: number === 1 ? digestOfMigration(one) : "of a newer version",
    servesFrom,
    stepsDone: servesFrom === undefined ? undefined : 1,
  });

  test("of a newer version is accepted if that says that this one can run on it, and otherwise refused", () => {
    const known = [one];
    expect(schemaState([appliedTo(1, 1), appliedTo(2, 1)], known)).toEqual({ kind: "newer", number: 2 });
    expect(schemaState([appliedTo(1, 1), appliedTo(2, 1), appliedTo(3, 1)], known)).toEqual({
      kind: "newer",
      number: 3,
    });
    const refusal = "which needs a version that knows schema 2, and this one knows only up to 1: run the newer version";
    expect(() => schemaState([appliedTo(1, 1), appliedTo(2, 2)], known)).toThrow(
      `the database has schema 2, ${refusal}`,
    );
    expect(() => schemaState([appliedTo(1, 1), appliedTo(2, 2), appliedTo(3, 1)], known)).toThrow(refusal);
    expect(() => schemaState([appliedTo(1, undefined), appliedTo(2, undefined)], known)).toThrow(refusal);
  });

  test.each([
    ["a service", MIGRATES, [true, true, false, false]],
    ["a service with MIGRATE=off", CHANGES_NO_SCHEMA, [{ kind: "database_empty" }, { kind: "migrate" }, false, false]],
    ["a command", ONLY_CREATES, [true, "has schema 1, and this version needs 2", false, false]],
    [
      "the source of a copy",
      COPIES_FROM,
      ["the database is empty", { kind: "migrate" }, false, "use the newer version"],
    ],
    ["the target of a copy", COPIES_INTO, [true, { kind: "migrate" }, false, "use the newer version"]],
  ] as const)("that is empty, older, current or newer is what %s can use, changes or refuses", (_, rules, expected) => {
    const states: SchemaState[] = [
      { kind: "empty" },
      { kind: "older", number: 1, missing: [two] },
      { kind: "current", number: 2 },
      { kind: "newer", number: 3 },
    ];
    for (const [i, state] of states.entries()) {
      const outcome = expected[i] as boolean | string | Remedy;
      if (typeof outcome === "string") expect(() => isWorkDue(state, rules, 2)).toThrow(outcome);
      else if (typeof outcome === "object") expect(remedyOf(() => isWorkDue(state, rules, 2))).toEqual(outcome);
      else expect(isWorkDue(state, rules, 2)).toBe(outcome);
    }
  });
});

function remedyOf(work: () => unknown): Remedy | undefined {
  try {
    work();
  } catch (error) {
    return (error as OperatorError).remedy;
  }
  return undefined;
}

test("ten processes may open a new database at once", async () => {
  const path = join(folder, "race.db");
  const script = `const { openShared } = await import(${JSON.stringify(join(import.meta.dir, "../sqlite/file/database.ts"))});
    (await openShared(${JSON.stringify(path)})).close();`;
  const children = Array.from({ length: 10 }, () => Bun.spawn([process.execPath, "-e", script], { stderr: "pipe" }));
  for (const child of children) expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
  const db = await openShared(path);
  expect(db.query("SELECT count(*) AS count FROM migrations").get()).toEqual({
    count: BigInt(SQLITE_MIGRATIONS.length),
  });
  db.close();
});
