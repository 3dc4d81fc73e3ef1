import { expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { INT64_MIN } from "../../../src/base/json/int64.ts";
import { newKey } from "../../../src/domain/keys/key.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import { newTally } from "../../../src/domain/limits/tally.ts";
import { newCounts } from "../../../src/domain/usage/usage.ts";
import { POSTGRES_MIGRATIONS } from "../../../src/store/migrations/postgres/index.ts";
import { SearchTooSlow } from "../../../src/store/ports/store.ts";
import { migrateDatabase } from "../../../src/store/postgres/migrate.ts";
import { openForCommand, openForServing } from "../../../src/store/postgres/store.ts";
import { openForCommand as openSqlite } from "../../../src/store/sqlite/store.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { SIGNED } from "../../harness/rows/author.ts";
import { copyToPostgres } from "../../harness/rows/copy.ts";
import { makeNameIndex } from "../../harness/rows/name-index.ts";
import { emptyDatabaseMaker, withSql } from "../../harness/servers/postgres.ts";
import { TestProxy } from "../../harness/servers/proxy.ts";
import { updatesContract } from "../contract/animals.contract.ts";
import { importsContract } from "../contract/imports.contract.ts";
import { keyStoreContract } from "../contract/keys.contract.ts";
import { listsContract } from "../contract/lists.contract.ts";
import { nameIndexContract } from "../contract/name-index.contract.ts";
import { ordersContract } from "../contract/orders.contract.ts";
import { requestsContract } from "../contract/requests.contract.ts";
import { sessionsContract } from "../contract/sessions.contract.ts";
import { ANSWER_OF_1_0_0, doneValue, expectReplayOf1_0_0, storeContract } from "../contract/store.contract.ts";
import { usageContract } from "../contract/usage.contract.ts";

const newDatabase = await emptyDatabaseMaker();
/** A busy machine may be late without anything being wrong. */
const PATIENT = { connections: 5, deadlineMs: 60_000 };

for (const contract of [
  storeContract,
  updatesContract,
  listsContract,
  ordersContract,
  keyStoreContract,
  importsContract,
])
  contract("PostgreSQL", async () => openForServing(await newDatabase(), PATIENT));

nameIndexContract("PostgreSQL", async () => {
  const url = await newDatabase();
  const store = await openForServing(url, PATIENT);
  expect(await store.nameIndex.progress()).toBeUndefined();
  await makeNameIndex(url);
  return store;
});

test("PostgreSQL: a search inside names that takes as long as a statement may is stopped, and says so", async () => {
  const url = await newDatabase();
  const store = await openForServing(url, PATIENT);
  await store.animals.create({ name: "Rex", categoryId: 1n, status: "sold" });
  // Only the search in the index does without index scans.
  await withSql(url, async (sql) => {
    await sql`ALTER TABLE animals RENAME TO others`;
    await sql`CREATE VIEW animals AS SELECT id, name, category_id, status, folded_name ||
      CASE current_setting('enable_indexscan') WHEN 'off' THEN pg_sleep(60)::text ELSE '' END AS folded_name FROM others`;
  });
  const search = store.nameIndex.search({ part: "gold", sort: "id", after: undefined, size: 5 });
  const outcome = Promise.resolve(search).catch((error: unknown) => error);
  // As the timeout of a statement does.
  const cancel =
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
  await withSql(url, async (sql) => {
    while ((await sql.unsafe(cancel)).length === 0) await Bun.sleep(10);
  });
  expect(await outcome).toBeInstanceOf(SearchTooSlow);
  await store.close();
}, 60_000);

for (const contract of [usageContract, requestsContract, sessionsContract])
  contract("PostgreSQL, for two instances", async () => {
    const url = await newDatabase();
    return [await openForServing(url, PATIENT), await openForServing(url, PATIENT)];
  });

test("PostgreSQL: who looks at the store and for changed keys in one turn asks once, and later anew", async () => {
  const store = await openForServing(await newDatabase(), PATIENT);
  let statements = 0;
  store.maintenance.connections?.onAnswer(() => void statements++);
  const look = async () => (await Promise.all([store.check(), store.keys.revision()]))[1];
  const before = await look();
  expect(statements).toBe(1);
  const key = newKey({ name: "k", plan: "free", quotas: PLANS.free, createdAtMs: 0, expiresAtMs: undefined });
  await store.keys.create({ ...SIGNED, key, digest: "d" });
  statements = 0;
  expect(await look()).toBeGreaterThan(before);
  expect(statements).toBe(1);
  await store.close();
});

test("PostgreSQL: an undo takes few statements over a slow wire, although no two ids follow each other", async () => {
  const url = new URL(await newDatabase());
  const wire = await TestProxy.start(Number(url.port));
  url.port = String(wire.port);
  const { imports, close } = await openForServing(url.href, { connections: 1 });
  const animals = Array.from({ length: 1_500 }, (_, i) => ({
    id: BigInt(2 * i + 1),
    name: "apart",
    categoryId: 1n,
    status: "available" as const,
  }));
  const counts = { records: animals.length, animals: animals.length };
  const beginning = { ...SIGNED, ...counts, identity: "x", source: "x.csv", again: false, lastId: 3_000n };
  const { id: importId } = doneValue(await imports.begin(beginning));
  const position = { recordsDoneBefore: 0, recordsDone: animals.length, isLast: true };
  doneValue(await imports.add({ ...SIGNED, importId, ...position, animals }));
  wire.delayMs = 5;
  doneValue(await imports.beginUndo({ ...SIGNED, importId }));
  expect(await imports.undoSome({ ...SIGNED, importId })).toMatchObject({ removed: 1_000, kept: 0 });
  expect(await imports.undoSome({ ...SIGNED, importId })).toMatchObject({ removed: 1_500, kept: 0 });
  wire.delayMs = 0;
  await close();
});

test("PostgreSQL: ten instances may start at once on an empty database", async () => {
  const url = await newDatabase();
  const stores = await Promise.all(Array.from({ length: 10 }, () => openForServing(url, { connections: 2 })));
  expect(await stores[0]?.keys.list()).toEqual([]);
  for (const store of stores) await store.close();
});

test("PostgreSQL: what cannot be opened is one clear line without a password", async () => {
  const url = new URL(await newDatabase());
  url.pathname = "/nowhere";
  url.password = "hidden";
  const failure = (await openForCommand(url.href).catch((error: unknown) => error)) as Error;
  expect(failure.name).toBe("OperatorError");
  expect(failure.message).toContain('database "nowhere" does not exist');
  expect(failure.message).not.toContain("hidden");
  expect(failure.message).not.toContain("\n");
  await expect(openForCommand("postgres://x@127.0.0.1:1/x")).rejects.toThrow(
    "cannot use the database postgres://127.0.0.1:1/x",
  );
});

test("PostgreSQL: a response saved by release 1.0.0 is replayed byte for byte", async () => {
  const url = await newDatabase();
  await migrateDatabase(url, () => {}, { migrations: POSTGRES_MIGRATIONS.slice(0, 1) });
  const sql = new SQL(url, { max: 1 });
  const { keyId, token, fingerprint, answeredAtMs, status, body, location } = ANSWER_OF_1_0_0;
  await sql`INSERT INTO keys (id, name, plan, per_minute, per_day, created_at) VALUES (${keyId}, 'k', 'free', 60, 1000, 0)`;
  await sql`INSERT INTO answers VALUES (${keyId}, ${token}, ${fingerprint}, ${answeredAtMs}, ${status}, ${body}, ${location})`;
  const store = await openForServing(url, { connections: 1 });
  await expectReplayOf1_0_0(store);
  expect((await sql`SELECT to_regclass('answers') AS name`)[0]?.name).toBeNull();
  await store.close();
  await sql.close();
});

test("PostgreSQL: a copy of an SQLite store has everything that it had, and continues with the next id", async () => {
  const path = join(temporaryFolder(), "source.db");
  const source = await openSqlite(path, { create: true });
  const key = newKey({ name: "k", plan: "free", quotas: PLANS.free, createdAtMs: 1, expiresAtMs: 2 });
  await source.keys.create({ ...SIGNED, key, digest: "first" });
  await source.keys.rotate({ ...SIGNED, keyId: key.id, digest: "second", atMs: 2, oldSecretsExpireAtMs: 3 });
  const animal = { name: "Zoë 🐾", categoryId: INT64_MIN, status: "available" } as const;
  const idempotencyKey = { keyId: key.id, value: "v", fingerprint: "f", nowMs: 4 };
  const created = doneValue(await source.animals.create(animal, idempotencyKey));
  await source.categories.put({ id: INT64_MIN, name: "Zoës 🐾" });
  const placed = doneValue(await source.orders.place({ animalId: 1n, nowMs: 5 }));
  await source.tallies.save([[key.id, newTally()]]);
  const counts = { records: 1, animals: 1 };
  const beginning = { ...SIGNED, identity: "i", source: "animals.csv", ...counts, again: false };
  const { id: importId } = doneValue(await source.imports.begin(beginning));
  const batch = { importId, recordsDoneBefore: 0, recordsDone: 1, animals: [animal], isLast: true };
  await source.imports.add({ ...SIGNED, ...batch });
  const sums = [key.id, null].map((keyId) => ({ keyId, startedAtMs: 60_000, counts: newCounts().map((_, i) => i) }));
  const request = { id: 1n, keyId: key.id, method: "GET", path: "/v1", status: 404, requestId: "r", latencyMs: 1 };
  const requests = [{ ...request, code: "not_found", message: "Zoë 🐾", idempotencyKey: undefined }];
  await source.usage.add({ source: "s", sequence: 1, atMs: 1, sums, requests });
  await source.close();

  const url = await newDatabase();
  const copied = await copyToPostgres(path, url);
  expect(copied.map(({ table, rows }) => [table, rows])).toEqual([
    ["keys", 1],
    ["secrets", 2],
    ["animals", 2],
    ["categories", 1],
    ["orders", 1],
    ["saved_responses", 1],
    ["tallies", 1],
    ["journal", 4],
    ["imports", 1],
    ["import_ranges", 1],
    ["key_usage_minutes", 1],
    ["key_usage_hours", 1],
    ["key_usage_days", 1],
    ["usage_minutes", 1],
    ["usage_hours", 1],
    ["kept_requests", 1],
  ]);
  const store = await openForCommand(url, { create: true });
  const span = { grain: "minute", fromMs: 0, beforeMs: 100_000 } as const;
  expect([...(await store.usage.ofKey(key.id, span)), ...(await store.usage.totals(span))]).toEqual(sums);
  expect(await store.keys.findBySecret("first")).toEqual({ key, secret: { expiresAtMs: 3 } });
  expect(await store.keys.findBySecret("second")).toEqual({ key, secret: { expiresAtMs: undefined } });
  expect((await store.orders.list({ size: 5 })).rows).toEqual([placed]);
  expect((await store.categories.list({ size: 5 })).rows).toEqual([{ id: INT64_MIN, name: "Zoës 🐾" }]);
  expect(await store.animals.create(animal, idempotencyKey)).toEqual({
    kind: "replay",
    content: { kind: "value", value: created },
  });
  expect(await store.tallies.load()).toEqual([[key.id, newTally()]]);
  expect(await store.animals.create(animal)).toEqual({ kind: "done", value: { id: 3n, ...animal } });
  expect(await store.imports.list()).toMatchObject([{ id: importId, added: 1, finishedAtMs: 1 }]);
  await store.imports.beginUndo({ ...SIGNED, importId });
  expect(await store.imports.undoSome({ ...SIGNED, importId })).toMatchObject({ removed: 1, kept: 0 });
  expect(doneValue(await store.imports.begin(beginning)).id).toBeGreaterThan(importId);
  await store.close();
});

test("PostgreSQL: expired responses are deleted in batches", async () => {
  const url = await newDatabase();
  const store = await openForCommand(url, { create: true });
  const sql = new SQL(url, { max: 1 });
  await sql`INSERT INTO keys (id, name, plan, per_minute, per_day, created_at) VALUES ('k', 'k', 'free', 60, 1000, 0)`;
  await sql`INSERT INTO saved_responses SELECT 'k', i::text, '', i, '{}' FROM generate_series(1, 250) i`;
  const remaining = async () => (await sql`SELECT count(*)::int AS count FROM saved_responses`)[0]?.count;
  const rounds = [];
  for (let i = 0; i < 3; i++)
    rounds.push([await store.maintenance.deleteSavedResponses({ savedAtMs: 210 }), await remaining()]);
  expect(rounds).toEqual([
    [true, 150],
    [true, 50],
    [false, 40],
  ]);
  await sql.close();
  await store.close();
});

// More values than the 65,535 parameters that one statement may have.
test("PostgreSQL: thousands of tallies are saved at once", async () => {
  const url = await newDatabase();
  const store = await openForCommand(url, { create: true });
  const sql = new SQL(url, { max: 1 });
  await sql`INSERT INTO keys (id, name, plan, per_minute, per_day, created_at)
    SELECT 'key_' || i, 'k', 'free', 60, 1000, 0 FROM generate_series(1, 7000) i`;
  const tallies = Array.from({ length: 7_000 }, (_, i) => [`key_${i + 1}`, newTally()] as const);
  for (const used of [1, 2]) {
    for (const [, tally] of tallies) tally.minute.used = used;
    await store.tallies.save(tallies);
    expect([...(await sql`SELECT count(*)::int AS count FROM tallies WHERE minute_used = ${used}`)]).toEqual([
      { count: 7_000 },
    ] as never);
  }
  await sql.close();
  await store.close();
});
