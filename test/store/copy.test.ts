import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { runChecks } from "../../src/domain/checkup/checkup.ts";
import { digestOf, type Key, newKey } from "../../src/domain/keys/key.ts";
import { PLANS } from "../../src/domain/keys/plan.ts";
import { newTally, type Tally } from "../../src/domain/limits/tally.ts";
import { copyStore } from "../../src/store/copy/copy.ts";
import { migrateStore, openCheckup, openForCommand } from "../../src/store/open.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { TABLES } from "../../src/store/sql/rows.ts";
import type { Row } from "../../src/store/sql/table.ts";
import type { DatabaseUrl } from "../../src/store/urls/database-url.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { SIGNED } from "../harness/rows/author.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { emptyDatabaseMaker, withSql } from "../harness/servers/postgres.ts";

const newDatabase = await emptyDatabaseMaker();

type Kind = DatabaseUrl["kind"];
const KINDS: readonly Kind[] = ["sqlite", "postgres"];
const newStore: Record<Kind, () => Promise<DatabaseUrl>> = {
  sqlite: async () => ({ kind: "sqlite", path: join(temporaryFolder(), "store.db") }),
  postgres: async () => ({ kind: "postgres", url: await newDatabase() }),
};

/** Some SQL that both databases understand. */
function query(database: DatabaseUrl, sql: string): Promise<Row[]> {
  if (database.kind === "postgres") return withSql(database.url, async (client) => [...(await client.unsafe(sql))]);
  const db = openDatabaseFile(database.path, { safeIntegers: true });
  try {
    return Promise.resolve(db.query(sql).all() as Row[]);
  } finally {
    db.close(true);
  }
}

async function withStore<T>(database: DatabaseUrl, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openForCommand(database, { create: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function issueKey({ keys }: Store): Promise<Key> {
  const key = newKey({ name: "Ünïcode", plan: "free", quotas: PLANS.free, createdAtMs: 1, expiresAtMs: undefined });
  await keys.create({ ...SIGNED, key, digest: digestOf(key.id) });
  return key;
}

const CATEGORY = { id: -(2n ** 63n), name: "狗 🐕" };
const usedTally = (nowMs: number): Tally => ({
  minute: { openedAtMs: nowMs, used: 50 },
  day: { openedAtMs: nowMs, used: 5000 },
  banRecord: { strikes: 3, strikesSinceMs: nowMs, bannedAtMs: nowMs, bannedUntilMs: nowMs + 60_000, bansInARow: 1 },
});

const KEPT_REQUEST = `INSERT INTO kept_requests
    (id, key_id, method, path, status, code, message, request_id, idempotency_key, latency_us)
    VALUES (1803902400000123, 'key_a', 'POST', '/v1/pets', 400, 'invalid_value', 'grüße 🐕 "\\', 'r', NULL, 412)`;

const IMPORTED = [
  `INSERT INTO imports (identity, source, records, animals, records_done, added, begun_at, finished_at, removed, kept)
    VALUES ('i', 'animals.csv', 2, 2, 2, 2, 1, 2, 0, 0)`,
  "INSERT INTO import_ranges (import_id, first_id, last_id) VALUES (1, 2, 3)",
] as const;

/** As searches inside names do. */
async function indexNames({ nameIndex }: Store): Promise<void> {
  while (await nameIndex.extend());
}

/** A store with something in every table, and ids that were assigned and are gone. */
async function filled(kind: Kind, animals = 5): Promise<DatabaseUrl> {
  const database = await newStore[kind]();
  await withStore(database, async (store) => {
    const key = await issueKey(store);
    await store.tallies.save([[key.id, usedTally(Date.now())]]);
    for (let i = 0; i < animals; i++)
      await store.animals.create(
        { name: `O'Neil "${i}", \\ =1+2 日本`, categoryId: BigInt(i) - 2n ** 63n, status: "available" },
        { keyId: key.id, value: `k${i}`, fingerprint: "f", nowMs: Date.now() },
      );
    await store.orders.place({ animalId: 1n, keyId: key.id, nowMs: 5, reference: "r-1" });
    await store.orders.update({ orderId: 1n, to: "approved", keyId: key.id, nowMs: 6 });
    await store.orders.update({ orderId: 1n, to: "cancelled", author: SIGNED, nowMs: 7 });
    await store.categories.put(CATEGORY);
    await store.categories.put({ id: 2n ** 63n - 1n, name: "Z" });
    await indexNames(store);
    await store.animals.delete({ id: BigInt(animals) });
  });
  await query(database, IMPORTED[0]);
  await query(database, IMPORTED[1]);
  await query(database, KEPT_REQUEST);
  return database;
}

const rowsOf = (database: DatabaseUrl, table: string, key: readonly string[]) =>
  query(database, `SELECT * FROM ${table} ORDER BY ${key.map((_, i) => i + 1).join(", ")}`);

/** Everything that is in a database, except what a copy notes there itself. */
async function contentsOf(database: DatabaseUrl): Promise<Record<string, unknown>> {
  const contents: Record<string, unknown> = {};
  for (const { name, key } of TABLES) {
    const rows = await rowsOf(database, name, key);
    contents[name] = rows
      .filter(({ action }) => !String(action).startsWith("copy"))
      .map((row) =>
        Object.entries(row)
          .map(([column, value]) => `${column}=${value}`)
          .sort(),
      );
  }
  return contents;
}

/** The servers of tests do without this. */
const DURABILITY = "acknowledged writes survive a crash";

async function problemsOf(database: DatabaseUrl): Promise<string[]> {
  const checkup = await openCheckup(database, { connections: 1, otherFiles: [] });
  const problems: string[] = [];
  for await (const { name, finding } of runChecks(checkup.checks))
    if (finding.kind === "problem" && name !== DURABILITY) problems.push(`${name}: ${finding.detail}`);
  await checkup.close();
  return problems;
}

for (const from of KINDS)
  for (const to of KINDS)
    describe(`a copy from ${from} to ${to}`, () => {
      test("has everything, continues with the next ids, and is in the journal of the target", async () => {
        const [source, target] = [await filled(from), await newStore[to]()];
        const copied = await copyStore(source, target, { author: SIGNED });
        expect(await contentsOf(target)).toEqual(await contentsOf(source));
        expect(copied.map(({ table }) => table)).toEqual(TABLES.map(({ name }) => name));
        expect(copied.find(({ table }) => table === "animals")?.rows).toBe(4);
        await withStore(target, async (store) => {
          const created = await store.animals.create({ name: "Next", categoryId: 1n, status: "available" });
          expect(created).toMatchObject({ value: { id: 6n } });
          const { rows } = await store.journal.list({ size: 100 });
          expect(rows.at(-1)).toMatchObject({
            by: "tester",
            action: "copy",
            subject: { kind: "store" },
            after: { animals: 4, categories: 2, keys: 1 },
          });
        });
        expect(await problemsOf(target)).toEqual([]);
        const again = copyStore(source, target, { author: SIGNED });
        await expect(again).rejects.toMatchObject({ reason: { kind: "already_copied" } });
      });

      test("that was interrupted is not served, and is finished by another one, although the source has changed", async () => {
        const [source, target] = [await filled(from), await newStore[to]()];
        await fill(source, 6_000);
        const controller = new AbortController();
        const stopped = copyStore(source, target, {
          author: SIGNED,
          signal: controller.signal,
          onProgress: ({ table, step, done }) => {
            if (table === "animals" && step === "copy" && done > 3_000) controller.abort();
          },
        });
        expect(await stopped.catch((error: unknown) => error)).toBe(controller.signal.reason);
        await expect(openForCommand(target, { create: true })).rejects.toThrow(
          "a copy into this database was not finished",
        );
        await query(source, "UPDATE animals SET name = 'changed', folded_name = 'changed' WHERE id = 3");
        await query(source, "DELETE FROM animals WHERE id = 4");
        await query(source, "UPDATE categories SET name = 'A', folded_name = 'a' WHERE name = 'Z'");
        await copyStore(source, target, { author: SIGNED });
        expect(await contentsOf(target)).toEqual(await contentsOf(source));
      });

      test("is refused into a database that has a key, and leaves that as it is", async () => {
        const [source, target] = [await filled(from), await newStore[to]()];
        const key = await withStore(target, (store) => issueKey(store));
        await expect(copyStore(source, target, { author: SIGNED })).rejects.toMatchObject({
          reason: { kind: "not_empty" },
        });
        await withStore(target, async (store) => expect(await store.keys.get(key.id)).toBeDefined());
      });

      test("of animals alone takes no keys, leaves those of the target, and is replaced only when asked for", async () => {
        const [source, target] = [await filled(from), await newStore[to]()];
        const key = await withStore(target, (store) => issueKey(store));
        for (const statement of IMPORTED) await query(target, statement);
        const copyAnimals = (mayReplace: boolean) =>
          copyStore(source, target, { author: SIGNED, animalsOnly: { mayReplace } });
        // A service may run on the source.
        const copied = await withStore(source, () => copyAnimals(false));
        expect(copied.map(({ table, rows }) => [table, rows])).toEqual([
          ["animals", 4],
          ["categories", 2],
        ]);
        const [all, copy] = [await contentsOf(source), await contentsOf(target)];
        for (const table of ["animals", "categories"]) expect(copy[table]).toEqual(all[table]);
        for (const table of ["orders", "tallies", "saved_responses", "imports", "import_ranges"])
          expect(copy[table]).toEqual([]);
        expect((await query(target, "SELECT id FROM keys")).map(({ id }) => id)).toEqual([key.id]);
        // The one in an open order is pending there, and nobody has ordered it here.
        expect(await problemsOf(target)).toEqual([]);
        await expect(copyAnimals(false)).rejects.toMatchObject({ reason: { kind: "has_animals", table: "animals" } });
        await query(source, "DELETE FROM animals WHERE id = 2");
        await withStore(target, indexNames);
        await copyAnimals(true);
        if (to === "sqlite")
          expect(await query(target, "SELECT name FROM sqlite_schema WHERE name LIKE 'animal_name_index%'")).toEqual(
            [],
          );
        expect((await query(target, "SELECT id FROM animals ORDER BY id")).map(({ id }) => Number(id))).toEqual([
          1, 3, 4,
        ]);
        const actions = (await query(target, "SELECT action FROM journal ORDER BY id")).map(({ action }) => action);
        expect(actions.slice(-3)).toEqual(["copy --animals", "copy --animals --replace", "copy --animals"]);
        const [replaced] = await query(target, "SELECT before FROM journal WHERE action LIKE '%--replace'");
        expect(replaced?.before).toBe('{"animals":4,"categories":2}');
        await withStore(target, async (store) => {
          const created = await store.animals.create({ name: "Next", categoryId: 1n, status: "available" });
          expect(created).toMatchObject({ value: { id: 6n } });
          await store.orders.place({ animalId: 6n, nowMs: 5 });
        });
        await expect(copyAnimals(true)).rejects.toMatchObject({ reason: { kind: "has_orders" } });
      });
    });

/** Adds animals, whose ids follow those that there are. */
async function fill(database: DatabaseUrl, count: number): Promise<void> {
  const series =
    database.kind === "sqlite"
      ? `(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n)`
      : `generate_series(1, ${count}) AS i`;
  await query(
    database,
    `INSERT INTO animals (name, category_id, status, folded_name) SELECT 'Animal ' || i, i % 10, 'available', 'animal ' || i FROM ${series}`,
  );
}

for (const kind of KINDS)
  describe(`copying out of ${kind}`, () => {
    test("an unfinished copy of animals is continued, by the same source alone, or replaced", async () => {
      const [source, other, target] = [await filled(kind), await filled(kind), await newStore.sqlite()];
      await fill(source, 6_000);
      await query(other, "DELETE FROM orders");
      const copyAnimals = (from: DatabaseUrl, mayReplace: boolean, signal?: AbortSignal, stop?: () => void) =>
        copyStore(from, target, {
          author: SIGNED,
          animalsOnly: { mayReplace },
          signal,
          onProgress: ({ done }) => void (done > 3_000 && stop?.()),
        });
      const controller = new AbortController();
      const stopped = copyAnimals(source, false, controller.signal, () => controller.abort());
      expect(await stopped.catch((error: unknown) => error)).toBe(controller.signal.reason);
      await expect(openForCommand(target, { create: false })).rejects.toThrow("was not finished");
      await expect(copyStore(source, target, { author: SIGNED })).rejects.toMatchObject({
        reason: { kind: "not_empty" },
      });
      await copyAnimals(source, false);
      expect((await contentsOf(target)).animals).toEqual((await contentsOf(source)).animals);
      const second = new AbortController();
      await copyAnimals(source, true, second.signal, () => second.abort()).catch(() => {});
      await copyAnimals(other, true);
      expect((await contentsOf(target)).animals).toEqual((await contentsOf(other)).animals);
    });

    test("nothing is copied of a database that is older, empty or not there", async () => {
      const target = await newStore.sqlite();
      const empty: DatabaseUrl = kind === "postgres" ? await newStore.postgres() : { kind, path: "/nowhere/store.db" };
      for (const animalsOnly of [undefined, { mayReplace: false }])
        await expect(copyStore(empty, target, { author: SIGNED, animalsOnly })).rejects.toMatchObject({
          reason: {
            side: "source",
            problem: { remedy: { kind: kind === "postgres" ? "database_empty" : "file_missing" } },
          },
        });
      const older = await filled(kind);
      await query(older, "DELETE FROM migrations WHERE number = (SELECT max(number) FROM migrations)");
      await expect(copyStore(older, target, { author: SIGNED })).rejects.toMatchObject({ remedy: { kind: "migrate" } });
    });
  });

test("a target that was made by migrate is as good as a new one", async () => {
  for (const kind of KINDS) {
    const [source, target] = [await filled("sqlite"), await newStore[kind]()];
    await migrateStore(target, () => {});
    expect(await copyStore(source, target, { author: SIGNED })).toHaveLength(TABLES.length);
  }
});

test("used quotas and bans are merged with those in Redis, and saved in both places, never lowered", async () => {
  const nowMs = Date.now();
  const [source, target] = [await filled("postgres"), await newStore.sqlite()];
  const [row] = await query(source, "SELECT id FROM keys");
  const keyId = row?.id as string;
  const inRedis: Tally = {
    ...newTally(),
    minute: { openedAtMs: nowMs, used: 55 },
    day: { openedAtMs: nowMs, used: 7 },
  };
  const raised: unknown[] = [];
  await copyStore(source, target, {
    author: SIGNED,
    counters: {
      read: async (keyIds) => new Map(keyIds.map((id) => [id, id === keyId ? inRedis : newTally()])),
      raise: async (tallies) => void raised.push(...tallies),
    },
  });
  await withStore(target, async ({ tallies }) => {
    const tally = (await tallies.get(keyId)) as Tally;
    expect(tally.minute.used).toBe(55);
    expect(tally.day.used).toBe(5000);
    expect(tally.banRecord.bansInARow).toBe(1);
    expect(raised).toEqual([[keyId, tally]]);
  });
});

test("a copy that cannot reach the counters is not begun", async () => {
  const [source, target] = [await filled("sqlite"), await newStore.postgres()];
  const gone = () => Promise.reject(new Error("Redis is gone"));
  const copying = copyStore(source, target, { author: SIGNED, counters: { read: gone, raise: gone } });
  await expect(copying).rejects.toThrow("Redis is gone");
  expect(await query(target, "SELECT source FROM copies")).toEqual([]);
});

test("without Redis's address, whoever copies a store that counts there is told", async () => {
  const [source, target] = [await filled("sqlite"), await newStore.sqlite()];
  await withStore(source, ({ metadata }) => metadata.noteCountingPlace("redis"));
  let warnings = 0;
  await copyStore(source, target, { author: SIGNED, onCountersLeftBehind: () => warnings++ });
  expect(warnings).toBe(1);
});

describe("a PostgreSQL database that animals are replaced in", () => {
  const targetWithAnimals = async () => {
    const [source, target] = [await filled("sqlite"), await newStore.postgres()];
    await copyStore(source, target, { author: SIGNED, animalsOnly: { mayReplace: false } });
    const replace = () => copyStore(source, target, { author: SIGNED, animalsOnly: { mayReplace: true } });
    return { target, replace };
  };
  /** Locks a table, and returns once the copy waits for it. */
  const heldUp = async (target: DatabaseUrl, lock: string, work: () => Promise<void>) => {
    if (target.kind !== "postgres") throw new Error("PostgreSQL only");
    await withSql(target.url, async (client) => {
      await client.begin(async (tx) => {
        await tx.unsafe(`LOCK TABLE ${lock}`);
        await work();
      });
    });
  };
  const untilWaiting = async (target: DatabaseUrl) => {
    const waiting =
      "SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    while ((await query(target, waiting)).length === 0) await Bun.sleep(5);
  };

  test("is not served from before the first of them is removed", async () => {
    const { target, replace } = await targetWithAnimals();
    let copying: Promise<unknown> | undefined;
    await heldUp(target, "animals IN SHARE MODE", async () => {
      copying = replace();
      await untilWaiting(target);
      await expect(openForCommand(target, { create: false })).rejects.toThrow("was not finished");
    });
    await copying;
    await withStore(target, async () => {});
  });

  test("is left as it is if a service has started just before that", async () => {
    const { target, replace } = await targetWithAnimals();
    const before = await contentsOf(target);
    let copying: Promise<unknown> | undefined;
    let store: Store | undefined;
    await heldUp(target, "copies IN SHARE MODE", async () => {
      copying = replace().catch((error: unknown) => error);
      await untilWaiting(target);
      store = await openForCommand(target, { create: false });
    });
    expect(await copying).toMatchObject({ message: expect.stringContaining("is using the target database") });
    await store?.close();
    expect(await contentsOf(target)).toEqual(before);
    await withStore(target, async () => {});
  });
});
