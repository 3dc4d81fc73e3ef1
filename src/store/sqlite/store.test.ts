import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { SIGNED } from "../../../test/harness/rows/author.ts";
import { ANSWER_OF_1_0_0, expectReplayOf1_0_0 } from "../../../test/store/contract/store.contract.ts";
import { OperatorError } from "../../base/operator-error.ts";
import { newKey } from "../../domain/keys/key.ts";
import { PLANS } from "../../domain/keys/plan.ts";
import { newTally } from "../../domain/limits/tally.ts";
import { PET_SHAPE } from "../../http/wire/pet.ts";
import { SQLITE_MIGRATIONS } from "../migrations/sqlite/index.ts";
import { type Store, StoreUnavailable, type Version } from "../ports/store.ts";
import { FOLD_BATCH_SIZE } from "../schema/folding.ts";
import { CHANGES_NO_SCHEMA, type Migration, migrate, newestOf } from "../schema/migrate.ts";
import { animalLists, categoryLists, countAnimalsByCategory, orderLists } from "../sql/lists.ts";
import { openShared } from "./file/database.ts";
import { lockForServing } from "./file/serving-lock.ts";
import { inspectFile, migrateFile } from "./migrate.ts";
import { selectUnfolded } from "./schema/folding.ts";
import { migrationTarget } from "./schema/migration-target.ts";
import { attempt } from "./sql/attempt.ts";
import { SQLITE } from "./sql/dialect.ts";
import { openForCommand, openForServing } from "./store.ts";
import { jsonLists } from "./tables/animals.ts";

/** "ANST", by which our files are recognized. */
const APPLICATION_ID = 0x414e5354;

const NEWEST = newestOf(SQLITE_MIGRATIONS);
const folder = temporaryFolder();
const IMPATIENT = { openMs: 50, servingMs: 20, writeMs: 50 };
const open = (name: string) => openForServing(join(folder, name));
const animal = { name: "Rex", categoryId: 7n, status: "available" } as const;
/** Creates an animal and returns its id. */
const createIn = async (store: Store): Promise<bigint> => {
  const result = await store.animals.create(animal);
  if (result.kind !== "done") throw new Error(result.kind);
  return result.value.id;
};
let keys = 0;
const keyToCreate = () => {
  const key = newKey({ name: "k", plan: "free", quotas: PLANS.free, createdAtMs: 0, expiresAtMs: undefined });
  return { ...SIGNED, key, digest: `digest ${++keys}` };
};
/** SQLite writes nothing when a row stays the same, so each is different. */
const tallyUsed = (used: number) => ({ ...newTally(), minute: { openedAtMs: 0, used } });
/** Creates an API key and returns its id. */
const createKeyIn = async (store: Store): Promise<string> => {
  const created = keyToCreate();
  await store.keys.create(created);
  return created.key.id;
};

describe("opening", () => {
  test("creates the folder for its owner alone, and sets the file up to be safe", async () => {
    const path = join(folder, "deep/er/a.db");
    await (await openForServing(path)).close();
    expect(statSync(join(folder, "deep/er")).mode & 0o777).toBe(0o700);
    const db = await openShared(path);
    const pragma = (name: string) => Object.values(db.query(`PRAGMA ${name}`).get() as object)[0];
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2n);
    expect(pragma("foreign_keys")).toBe(1n);
    db.close();
  });

  test("what cannot be opened is one clear line", async () => {
    const text = join(folder, "text.db");
    writeFileSync(text, "This is a letter, not a database. ".repeat(50));
    const foreign = join(folder, "foreign.db");
    const other = new Database(foreign);
    other.run("CREATE TABLE invoices (id INTEGER)");
    other.close();
    mkdirSync(join(folder, "folder.db"));
    const newer = join(folder, "newer.db");
    const db = await openShared(newer);
    db.run("INSERT INTO migrations (number, name, digest, applied_at) VALUES (99, 'later', 'x', 0)");
    db.close();
    for (const [path, reason] of [
      [text, "file is not a database"],
      [foreign, "database of another program"],
      [join(folder, "folder.db"), "is a folder"],
      [join(text, "below/a.db"), "cannot create the folder"],
      ["/proc/animal-store/a.db", "cannot create the folder"],
      [newer, `schema 99, which needs a version that knows schema 99, and this one knows only up to ${NEWEST}`],
    ] as const) {
      const failure = await openForServing(path).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(OperatorError);
      expect((failure as Error).message).toContain(reason);
      expect((failure as Error).message).not.toContain("\n");
    }
    await expect(openForCommand(join(folder, "none.db"), { create: false })).rejects.toThrow("there is no database at");
  });

  const olderFile = async (name: string): Promise<string> => {
    const path = join(folder, name);
    const old = new Database(path);
    old.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    await migrate(migrationTarget(old), SQLITE_MIGRATIONS.slice(0, 1));
    old.close();
    return path;
  };
  const REFUSAL = {
    message: expect.stringContaining(`the database has schema 1, and this version needs ${NEWEST}`),
    remedy: { kind: "migrate" },
  };

  test("a command never migrates, and says what does", async () => {
    const path = await olderFile("older.db");
    await expect(openForCommand(path, { create: false })).rejects.toMatchObject(REFUSAL);
    expect((await inspectFile(path)).from).toBe(1);
    await (await openForServing(path)).close();
    await (await openForCommand(path, { create: false })).close();
  });

  test("a service that may not migrate refuses an older schema, and makes no file", async () => {
    const path = await olderFile("older-served.db");
    await expect(openForServing(path, IMPATIENT, CHANGES_NO_SCHEMA)).rejects.toMatchObject(REFUSAL);
    const none = join(folder, "not-made.db");
    await expect(openForServing(none, IMPATIENT, CHANGES_NO_SCHEMA)).rejects.toMatchObject({
      remedy: { kind: "file_missing" },
    });
    expect(existsSync(none)).toBe(false);
    await migrateFile(path);
    await (await openForServing(path, IMPATIENT, CHANGES_NO_SCHEMA)).close();
  });

  test("migrate refuses an older file that a service is using, and has nothing to do for a current one", async () => {
    const path = await olderFile("older-in-use.db");
    const running = lockForServing(path, 0);
    await expect(migrateFile(path, IMPATIENT)).rejects.toThrow("another process is already serving");
    expect((await inspectFile(path)).from).toBe(1);
    running.unlock();
    expect(await migrateFile(path)).toEqual({
      from: 1,
      to: NEWEST,
      migrations: SQLITE_MIGRATIONS.slice(1).map(({ number, name }) => `${number} ${name}`),
    });
    const store = await openForServing(path);
    expect(await migrateFile(path, IMPATIENT)).toEqual({ from: NEWEST, to: NEWEST, migrations: [] });
    await store.close();
  });

  test("an older version serves the file of a newer one that says so, whatever that has added", async () => {
    const path = join(folder, "of-a-newer-version.db");
    const newer: Migration = {
      number: NEWEST + 1,
      name: "expanded",
      servesFrom: NEWEST,
      steps: [{ kind: "sql", sql: "ALTER TABLE animals ADD COLUMN born_at INTEGER; DROP INDEX orders_by_animal" }],
    };
    const db = await openShared(path);
    // More than a small file, whose indexes are compared with the tables.
    db.run(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) INSERT INTO animals (name, category_id, status) SELECT 'x', 1, 'sold' FROM n",
    );
    await migrate(migrationTarget(db), [...SQLITE_MIGRATIONS, newer]);
    db.close();
    const store = await openForServing(path);
    expect(await createIn(store)).toBe(9001n);
    await store.close();
  });

  test("one process at a time serves a file, while commands may use it", async () => {
    const first = await open("one.db");
    await expect(openForServing(join(folder, "one.db"), IMPATIENT)).rejects.toThrow(
      "another process is already serving",
    );
    const beside = await openForCommand(join(folder, "one.db"), { create: false });
    await beside.close();
    await first.close();
    await (await open("one.db")).close();
  });
});

test("a store that was closed answers nothing, so the next process has the file for itself", async () => {
  const store = await open("closed.db");
  const id = await createIn(store);
  await store.close();
  const next = await open("closed.db");
  await expect(createIn(store)).rejects.toThrow(StoreUnavailable);
  expect(() => store.animals.get(id)).toThrow(StoreUnavailable);
  expect(() => store.check()).toThrow("the store is closed");
  expect(await next.animals.get(id)).toMatchObject({ id });
  await next.close();
});

describe("the lock for serving", () => {
  const REFUSAL = "another process is already serving";
  /** A store that is served, under a name that others refer to. */
  const serving = async (name: string) => {
    const path = join(folder, name);
    return { path, store: await openForServing(path) };
  };

  test.if(process.platform === "linux")("belongs to the file, whatever name it is reached by", async () => {
    const { path, store } = await serving("locked.db");
    await createIn(store);
    symlinkSync(path, join(folder, "symbolic.db"));
    linkSync(path, join(folder, "second-name.db"));
    const moved = join(folder, "moved.db");
    for (const suffix of ["", "-wal", "-shm"]) renameSync(`${path}${suffix}`, `${moved}${suffix}`);
    for (const name of ["moved.db", "second-name.db"])
      await expect(openForServing(join(folder, name), IMPATIENT)).rejects.toThrow(REFUSAL);
    for (const suffix of ["", "-wal", "-shm"]) renameSync(`${moved}${suffix}`, `${path}${suffix}`);
    await expect(openForServing(join(folder, "symbolic.db"), IMPATIENT)).rejects.toThrow(REFUSAL);
    await store.close();
    await (await openForServing(join(folder, "symbolic.db"))).close();
  });

  test.if(process.platform === "linux")("is on a file that is open for writing, which NFS asks for", async () => {
    const { unlock, descriptor } = lockForServing((await openShared(join(folder, "nfs.db"))).filename, 0);
    const flags = /flags:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    expect(Number.parseInt(flags ?? "", 8) & 3).toBe(2);
    unlock();
  });

  test("of release 1.0.0 is respected while such a service is running, and then removed", async () => {
    const path = join(folder, "older-lock.db");
    const older = new Database(`${path}-serving`, { create: true });
    older.run("PRAGMA locking_mode = EXCLUSIVE");
    older.run("BEGIN EXCLUSIVE");
    await expect(openForServing(path, IMPATIENT)).rejects.toThrow(REFUSAL);
    older.close();
    await (await openForServing(path)).close();
    expect(existsSync(`${path}-serving`)).toBe(false);
  });

  test.if(process.platform === "linux")("leaves SQLite its own locks", async () => {
    const path = join(folder, "locks.db");
    const store = await openForServing(path);
    await createIn(store);
    await store.check();
    const script = `const db = new (await import("bun:sqlite")).Database(${JSON.stringify(path)});
      db.run("PRAGMA locking_mode = EXCLUSIVE"); db.run("PRAGMA journal_mode = DELETE");`;
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, "-e", script]);
    expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining("database is locked")]);
    await store.close();
  });
});

describe("the log", () => {
  const logBytes = (path: string) => statSync(`${path}-wal`).size;

  test("stays short, even if there is never a moment without a reader", async () => {
    const path = join(folder, "short.db");
    const store = await openForServing(path);
    const readers = [new Database(path, { readonly: true }), new Database(path, { readonly: true })];
    const beginReading = (reader: Database) => {
      reader.run("BEGIN");
      reader.query("SELECT count(*) FROM animals").get();
    };
    readers.forEach(beginReading);
    let isOver = false;
    const takingTurns = (async () => {
      for (let i = 0; !isOver; i++) {
        await Bun.sleep(1);
        const reader = readers[i % 2] as Database;
        reader.run("COMMIT");
        beginReading(reader);
      }
    })();
    let longest = 0;
    for (let i = 0; i < 3_000; i++) {
      await createIn(store);
      if (i % 50 === 0) longest = Math.max(longest, logBytes(path));
    }
    isOver = true;
    await takingTurns;
    for (const reader of readers) reader.close();
    await store.close();
    // All of them take 50 MB.
    expect(longest).toBeLessThan(30_000_000);
  });

  test("is empty after a stop, and still there: a full disk has no room for a new one", async () => {
    const path = join(folder, "kept.db");
    const store = await openForServing(path);
    await createIn(store);
    expect(logBytes(path)).toBeGreaterThan(0);
    await store.close();
    expect(logBytes(path)).toBe(0);
    expect(existsSync(`${path}-shm`)).toBe(true);
    const command = await openForCommand(path, { create: false });
    await createIn(command);
    await command.close();
    expect(logBytes(path)).toBe(0);
  });
});

describe("animals", () => {
  test("ids are never reused, not even after the newest is gone", async () => {
    const path = join(folder, "ids.db");
    const store = await openForServing(path);
    const ids = [await createIn(store), await createIn(store)];
    const db = new Database(path);
    db.run("DELETE FROM animals");
    db.close();
    ids.push(await createIn(store));
    expect(ids).toEqual([1n, 2n, 3n]);
    await store.close();
  });

  test("no list scans a table, or sorts more than a page", async () => {
    const db = await openShared(join(folder, "plan.db"));
    const planOf = (sql: string) =>
      (db.query(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map((row) => row.detail);
    const plans = (statements: Record<string, string>, table: string) =>
      Object.fromEntries(
        Object.entries(statements).map(([name, sql]) => {
          const steps = planOf(sql).filter((detail) => new RegExp(`^(SCAN|SEARCH) ${table}`).test(detail));
          return [name, [...new Set(steps)]];
        }),
      );
    /** The plans of lists by ascending id, and of the same by descending id. */
    const both = (ascending: Record<string, string>): Record<string, string[]> =>
      Object.fromEntries(
        Object.entries(ascending).flatMap(([name, plan]) => [
          [name, [plan]],
          [`${name}Descending`, [plan.replace("rowid>?", "rowid<?")]],
        ]),
      );
    const byName =
      "SEARCH animals USING INDEX animals_by_name (status=? AND (folded_name,rowid)>(?,?) AND folded_name<?)";
    const byNameDescending =
      "SEARCH animals USING INDEX animals_by_name (status=? AND folded_name>? AND (folded_name,rowid)<(?,?))";
    expect(plans(animalLists(SQLITE), "animals")).toEqual({
      ...both({
        all: "SEARCH animals USING INTEGER PRIMARY KEY (rowid>?)",
        byStatus: "SEARCH animals USING INDEX animals_by_status (status=? AND rowid>?)",
        byCategory: "SEARCH animals USING INDEX animals_by_category (category_id=? AND status=? AND rowid>?)",
        byCategoryAndStatus: "SEARCH animals USING INDEX animals_by_category (category_id=? AND status=? AND rowid>?)",
        byIds: "SEARCH animals USING INTEGER PRIMARY KEY (rowid=?)",
      }),
      byName: [byName],
      byNameAndStatus: [byName],
      byNameDescending: [byNameDescending],
      byNameAndStatusDescending: [byNameDescending],
    });
    // The rows of a page first, then whether another follows it.
    const anyMore = {
      all: "SEARCH animals USING INTEGER PRIMARY KEY (rowid>?)",
      byStatus: "SEARCH animals USING COVERING INDEX animals_by_status (status=? AND rowid>?)",
      byCategory: "SEARCH animals USING COVERING INDEX animals_by_category (category_id=? AND status=? AND rowid>?)",
      byCategoryAndStatus:
        "SEARCH animals USING COVERING INDEX animals_by_category (category_id=? AND status=? AND rowid>?)",
    };
    const pages = jsonLists(PET_SHAPE);
    const rowsOfPages = plans(animalLists(SQLITE), "animals");
    for (const [name, [plan]] of Object.entries(both(anyMore))) {
      const steps = new Set([...(rowsOfPages[name] as string[]), plan]);
      expect(plans({ [name]: pages[name as keyof typeof pages] }, "animals")).toEqual({
        [name]: [...steps] as string[],
      });
    }
    expect(Object.keys(pages).toSorted()).toEqual(Object.keys(both(anyMore)).toSorted());
    expect(plans(orderLists(SQLITE), "orders")).toEqual(
      both({
        all: "SEARCH orders USING INTEGER PRIMARY KEY (rowid>?)",
        byStatus: "SEARCH orders USING INDEX orders_by_status (status=? AND rowid>?)",
        byAnimal: "SEARCH orders USING INDEX orders_by_animal (animal_id=? AND status=? AND rowid>?)",
        byAnimalAndStatus: "SEARCH orders USING INDEX orders_by_animal (animal_id=? AND status=? AND rowid>?)",
        byReference: "SEARCH orders USING INDEX orders_by_reference (reference=? AND status=? AND rowid>?)",
        byReferenceAndStatus: "SEARCH orders USING INDEX orders_by_reference (reference=? AND status=? AND rowid>?)",
      }),
    );
    expect(plans({ used: categoryLists(SQLITE).used }, "animals")).toEqual({
      used: ["SEARCH animals USING COVERING INDEX animals_by_category (category_id>?)"],
    });
    expect(plans({ count: countAnimalsByCategory(SQLITE) }, "animals")).toEqual({
      count: ["SEARCH animals USING COVERING INDEX animals_by_category (category_id=?)"],
    });
    expect(plans(categoryLists(SQLITE), "categories")).toEqual({
      all: ["SEARCH categories USING INTEGER PRIMARY KEY (rowid>?)"],
      byName: ["SEARCH categories USING INDEX categories_by_name (folded_name>? AND folded_name<?)"],
      used: [
        "SEARCH categories USING INTEGER PRIMARY KEY (rowid>?)",
        "SEARCH categories USING INTEGER PRIMARY KEY (rowid=?)",
      ],
    });
    // Only the merge of a search for each status may sort: some pages, whatever the size of the table.
    for (const [name, sql] of [animalLists, orderLists, categoryLists].flatMap((lists) =>
      Object.entries(lists(SQLITE)),
    )) {
      const sorts = planOf(sql).filter((detail) => detail.includes("TEMP B-TREE"));
      if (!sql.includes("UNION ALL")) expect([name, sorts]).toEqual([name, []]);
    }
    for (const sql of [selectUnfolded(1), selectUnfolded(FOLD_BATCH_SIZE)])
      expect(planOf(sql)).toEqual(["SEARCH animals USING INDEX animals_to_fold (folded_name=?)"]);
    db.close();
  });
});

describe("saved responses", () => {
  test("are deleted in batches", async () => {
    const path = join(folder, "delete.db");
    const store = await openForServing(path);
    const id = await createKeyIn(store);
    const db = new Database(path);
    db.run(
      `INSERT INTO saved_responses WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
       SELECT '${id}', 't' || i, '', CASE WHEN i <= 210 THEN 1000 ELSE 2000 END, '{}' FROM n`,
    );
    const remaining = () =>
      (db.query("SELECT count(*) AS count FROM saved_responses").get() as { count: number }).count;
    expect(await store.maintenance.deleteSavedResponses({ savedAtMs: 999 })).toBe(false);
    expect(remaining()).toBe(450);
    const rounds = [];
    for (let i = 0; i < 3; i++)
      rounds.push([await store.maintenance.deleteSavedResponses({ savedAtMs: 1000 }), remaining()]);
    expect(rounds).toEqual([
      [true, 350],
      [true, 250],
      [false, 240],
    ]);
    db.close();
    await store.close();
  });

  test("of release 1.0.0 are replayed byte for byte", async () => {
    const path = join(folder, "1.0.0.db");
    const db = new Database(path, { strict: true });
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    await migrate(migrationTarget(db), SQLITE_MIGRATIONS.slice(0, 2));
    const { keyId, token, fingerprint, answeredAtMs, status, body, location } = ANSWER_OF_1_0_0;
    db.run("INSERT INTO keys (id, name, plan, per_minute, per_day, created_at) VALUES (?, 'k', 'free', 60, 1000, 0)", [
      keyId,
    ]);
    db.run("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", [
      keyId,
      token,
      fingerprint,
      answeredAtMs,
      status,
      body,
      location,
    ]);
    db.close();
    const store = await openForServing(path);
    await expectReplayOf1_0_0(store);
    await store.close();
    const after = new Database(path);
    expect(after.query("SELECT name FROM sqlite_schema WHERE name LIKE 'answers%'").all()).toEqual([]);
    after.close();
  });

  test("are replayed while the database is locked", async () => {
    const path = join(folder, "replay.db");
    const store = await openForServing(path);
    const key = { keyId: await createKeyIn(store), value: "v", fingerprint: "f", nowMs: 1 };
    await store.animals.create(animal, key);
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    expect(await store.animals.create(animal, key)).toMatchObject({ kind: "replay" });
    other.close();
    await store.close();
  });
});

describe("keys", () => {
  test("change from a serving process while others write", async () => {
    const path = join(folder, "keys.db");
    const store = await openForServing(path);
    const other = new Database(path);
    other.run("PRAGMA busy_timeout = 2000");
    let held = 0;
    let isOver = false;
    const holdLocks = (async () => {
      for (; !isOver; held++) {
        other.run("BEGIN IMMEDIATE");
        other.run("UPDATE animals SET name = 'held' WHERE id = 1");
        await Bun.sleep(5);
        other.run("COMMIT");
        await Bun.sleep(10);
      }
    })();
    const creations = Array.from({ length: 300 }, () => createIn(store));
    let changed = 0;
    for (let i = 0; held < 10; i++) {
      const { key, digest } = keyToCreate();
      await store.keys.create({ ...SIGNED, key, digest });
      const newDigest = `${digest} rotated`;
      await store.keys.rotate({ ...SIGNED, keyId: key.id, digest: newDigest, atMs: i, oldSecretsExpireAtMs: i });
      await store.keys.unban({ ...SIGNED, keyId: key.id, atMs: i });
      await store.keys.revoke({ ...SIGNED, keyId: key.id, atMs: i });
      expect(await store.keys.findBySecret(newDigest)).toEqual({
        key: { ...key, unbannedAtMs: i, revokedAtMs: i },
        secret: { expiresAtMs: undefined },
      });
      expect(await store.keys.createFirst(keyToCreate())).toBe(false);
      changed++;
    }
    isOver = true;
    await holdLocks;
    expect(await Promise.all(creations)).toHaveLength(300);
    expect(await store.keys.list()).toHaveLength(changed);
    expect(await store.keys.revision()).toBe(4 * changed);
    other.close();
    await store.close();
  });

  test("a key that exists already fails as an error of ours, and changes nothing", async () => {
    const store = await open("twice.db");
    const created = keyToCreate();
    await store.keys.create(created);
    const error = await store.keys.create(created).catch((error: unknown) => error);
    expect(error).not.toBeInstanceOf(StoreUnavailable);
    expect((error as Error).message).toContain("UNIQUE");
    expect([await store.keys.revision(), (await store.keys.list()).length]).toEqual([1, 1]);
    await store.close();
  });
});

describe("the version of a store that is served", () => {
  test("has the same changes after animals were added, with or without an idempotency key, or none for a retry", async () => {
    const store = await openForServing(join(folder, "additions.db"));
    const keyId = await createKeyIn(store);
    const idempotencyKey = { keyId, value: "once", fingerprint: "f", nowMs: 1 };
    await createIn(store);
    const before = store.version() as Version;
    await store.animals.create(animal);
    await store.animals.create(animal, idempotencyKey);
    await store.animals.create(animal, idempotencyKey);
    await store.animals.create(animal, { ...idempotencyKey, fingerprint: "other" });
    await Promise.all([createIn(store), store.keys.revoke({ ...SIGNED, keyId, atMs: 1 }), createIn(store)]);
    const after = store.version() as Version;
    expect(after.changes).toBe(before.changes);
    expect(after.additions).toBeGreaterThan(before.additions);
    await store.maintenance.foldNames();
    expect(store.version()).toBe(after);
    await Promise.all([createIn(store), store.categories.put({ id: 7n, name: "Dogs" }), createIn(store)]);
    expect(store.version()?.changes).toBe(before.changes + 1);
    await store.close();
  });

  test("changes with animals and orders, and not with counters, keys and expired responses", async () => {
    const path = join(folder, "version.db");
    const store = await openForServing(path);
    const keyId = await createKeyIn(store);
    const animalId = await createIn(store);
    await store.animals.create(animal, { keyId, value: "expired", fingerprint: "f", nowMs: 1 });
    const order = { animalId, nowMs: 1 };
    const changes = async (work: () => unknown): Promise<boolean> => {
      const before = store.version();
      expect(before).toBeDefined();
      await work();
      return store.version() !== before;
    };
    const beside = await openForCommand(path, { create: false });
    const seen = {
      "saving counters": await changes(() => store.tallies.save([[keyId, tallyUsed(1)]])),
      "saving counters again": await changes(() => store.tallies.save([[keyId, tallyUsed(2)]])),
      "deleting a response": await changes(() => store.maintenance.deleteSavedResponses({ savedAtMs: 1 })),
      "deleting none": await changes(() => store.maintenance.deleteSavedResponses({ savedAtMs: 1 })),
      "creating a key": await changes(() => createKeyIn(store)),
      "revoking a key": await changes(() => store.keys.revoke({ ...SIGNED, keyId, atMs: 1 })),
      "creating an animal": await changes(() => createIn(store)),
      "placing an order": await changes(() => store.orders.place(order)),
      "moving an order": await changes(() => store.orders.update({ orderId: 1n, to: "approved", nowMs: 1 })),
      "creating an animal beside": await changes(() => createIn(beside)),
      "saving counters beside": await changes(() => beside.tallies.save([[keyId, tallyUsed(3)]])),
    };
    expect(seen).toEqual({
      "saving counters": false,
      "saving counters again": false,
      "deleting a response": false,
      "deleting none": false,
      "creating a key": false,
      "revoking a key": false,
      "creating an animal": true,
      "placing an order": true,
      "moving an order": true,
      "creating an animal beside": true,
      "saving counters beside": true,
    });
    await beside.close();
    await store.close();
  });

  test("is known soon after opening, without any write", async () => {
    const store = await open("soon.db");
    expect(store.version()).toBeUndefined();
    while (store.version() === undefined) await Bun.sleep(5);
    await createIn(store);
    expect(store.version()).toEqual({ changes: 1, additions: 1 });
    await store.close();
  });

  test("never stays the same over a change by another process, while counters are saved all the time", async () => {
    const path = join(folder, "stale.db");
    const store = await openForServing(path);
    const keyId = await createKeyIn(store);
    const script = `const db = new (await import("bun:sqlite")).Database(${JSON.stringify(path)});
      db.run("PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF");
      const insert = db.prepare("INSERT INTO animals (name, category_id, status) VALUES ('Rex', 7, 'sold')");
      let [isOver, inserted] = [false, 0];
      process.stdin.on("end", () => { isOver = true; }).resume();
      while (!isOver) { insert.run(); if (++inserted % 3 === 0) await Bun.sleep(Math.random() * 2); }
      console.log(inserted);`;
    const child = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    const reader = new Database(path, { readonly: true });
    const count = reader.prepare<{ count: number }, []>("SELECT count(*) AS count FROM animals");
    const counts = new Map<Version, number>();
    const stale: Version[] = [];
    let [saves, reused, inserted] = [0, 0, 0];
    while (child.exitCode === null) {
      if (saves > 100 && reused > 100 && inserted > 600) child.stdin.end();
      let isSaved = false;
      const saved = store.tallies.save([[keyId, tallyUsed(saves)]]).then(() => {
        isSaved = true;
        saves++;
      });
      while (!isSaved) {
        const version = store.version();
        const animals = count.get()?.count as number;
        inserted = animals;
        // Nothing was committed in between, so the number of animals belongs to the version.
        if (version !== undefined && store.version() === version) {
          if (counts.has(version)) reused++;
          if (animals !== (counts.get(version) ?? animals)) stale.push(version);
          counts.set(version, animals);
        }
        await new Promise(setImmediate);
      }
      await saved;
    }
    expect([child.exitCode, await new Response(child.stderr).text()]).toEqual([0, ""]);
    expect(stale).toEqual([]);
    expect(String(count.get()?.count)).toBe((await new Response(child.stdout).text()).trim());
    reader.close();
    await store.close();
  });
});

describe("failures", () => {
  test("while another process writes, a write waits for it and the event loop goes on", async () => {
    const path = join(folder, "busy.db");
    const store = await openForServing(path);
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    const created = createIn(store);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    // A write that blocked the event loop would be refused before the first of them.
    while (ticks <= 5) await Bun.sleep(10);
    expect((await store.animals.list({ size: 5 })).rows).toEqual([]);
    other.run("COMMIT");
    expect(await created).toBe(1n);
    clearInterval(timer);
    other.close();
    await store.close();
  });

  test("a lock that is never released leads to StoreUnavailable, and nothing is written", async () => {
    const path = join(folder, "stuck.db");
    const store = await openForServing(path, IMPATIENT);
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    await expect(store.animals.create(animal)).rejects.toBeInstanceOf(StoreUnavailable);
    other.run("ROLLBACK");
    other.close();
    expect((await store.animals.list({ size: 5 })).rows).toEqual([]);
    await store.close();
  });

  test("a write that arrives while another one waits for a lock waits no longer than that one", async () => {
    const open = async (name: string) => {
      const path = join(folder, name);
      const store = await openForServing(path, { ...IMPATIENT, writeMs: 200 });
      await createIn(store);
      const other = new Database(path);
      other.run("BEGIN IMMEDIATE");
      const refused = async () => {
        const error = await store.animals.create(animal).catch((error: unknown) => error);
        expect(error).toBeInstanceOf(StoreUnavailable);
      };
      const close = async () => {
        other.run("ROLLBACK");
        other.close();
        expect(await createIn(store)).toBe(2n);
        await store.close();
      };
      return { refused, close };
    };
    const [together, inTurn] = [await open("together.db"), await open("in-turn.db")];
    const order: string[] = [];
    const waiting = (async () => {
      const waits = Array.from({ length: 12 }, async (_, i) => {
        await Bun.sleep(i * 20);
        await together.refused();
      });
      await Promise.all(waits);
      order.push("together");
    })();
    // Each of these begins to wait when the one before it has given up, as those above must not.
    for (let i = 0; i < 6; i++) await inTurn.refused();
    order.push("in turn");
    await waiting;
    expect(order).toEqual(["together", "in turn"]);
    await Promise.all([together.close(), inTurn.close()]);
  });

  test("counters wait for a lock too", async () => {
    const path = join(folder, "tallies.db");
    const store = await openForServing(path);
    const id = await createKeyIn(store);
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    const saved = store.tallies.save([[id, tallyUsed(7)]]);
    await Bun.sleep(50);
    other.run("ROLLBACK");
    other.close();
    await saved;
    expect((await store.tallies.get(id))?.minute.used).toBe(7);
    await store.close();
  });

  test("what SQLite cannot do now is StoreUnavailable; a mistake in our SQL is not", async () => {
    const db = await openShared(join(folder, "faults.db"));
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
