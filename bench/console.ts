// Measures the console's pages on a large store: 10 million animals, 10,000 keys with a month of usage. Reports the
// duration of each request, that of background work, and the longest time that this blocks the console's thread.
// Run: npm run bench:console [-- --animals 10000000 --keys 10000 --only sqlite,postgres]

import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DAY_MS, HOUR_MS, MINUTE_MS, systemClock } from "../src/base/time/clock.ts";
import { ConsoleCache } from "../src/console/cached/cache.ts";
import { ConsoleFault } from "../src/console/fault.ts";
import type { ConsoleHandler, ConsoleParts, SignedIn } from "../src/console/handler.ts";
import { ImportJobs } from "../src/console/jobs/import-jobs.ts";
import { NameIndexing } from "../src/console/jobs/name-indexing.ts";
import { listAnimals } from "../src/console/resources/animals.ts";
import { listUsedCategories } from "../src/console/resources/categories.ts";
import { boundedSnapshots } from "../src/console/resources/export.ts";
import { listJournal } from "../src/console/resources/journal.ts";
import { usageOfOneKey, viewOfKey } from "../src/console/resources/keys/keys.ts";
import { listOfKeys } from "../src/console/resources/keys/list.ts";
import { listOrders } from "../src/console/resources/orders/orders.ts";
import { showOverview } from "../src/console/resources/overview.ts";
import { countersOf } from "../src/keys/queries/counters.ts";
import { openAnimalSnapshot, openForServing } from "../src/store/open.ts";
import type { Store } from "../src/store/ports/store.ts";
import type { DatabaseUrl } from "../src/store/urls/database-url.ts";
import { temporaryFolder } from "../test/harness/folder.ts";
import { makeNameIndex } from "../test/harness/rows/name-index.ts";
import { TestPostgres, withSql } from "../test/harness/servers/postgres.ts";
import { cleanUpOnAnyEnd, endRun, median, say } from "./common/tools.ts";

const { values: options } = parseArgs({
  options: {
    animals: { type: "string", default: "10000000" },
    keys: { type: "string", default: "10000" },
    only: { type: "string", default: "sqlite,postgres" },
    // A SQLite file to reuse in several runs; it is created and filled if missing.
    file: { type: "string" },
  },
});
const ANIMALS = Number(options.animals);
const KEYS = Number(options.keys);
const RUNS = 50;
const CHUNK = 500_000;

const NOW = systemClock.nowMs();
const startsOf = (lengthMs: number, count: number): string =>
  Array.from({ length: count }, (_, i) => (Math.floor(NOW / lengthMs) - i) * lengthMs).join(",");

/** The dialects' differences: a range of numbers as a table n (i), and timestamps as a table t (at). */
interface Sql {
  readonly numbers: (from: number, to: number) => string;
  readonly moments: (list: string) => string;
  readonly run: (sql: string) => Promise<unknown>;
}

const KEY_ID = "'key_' || (100000000000 + i)";

/** Each status has a third of the animals. Each key has usage in every minute, hour and day that the pages show. */
async function fill({ numbers, moments, run }: Sql): Promise<void> {
  for (let from = 1; from <= ANIMALS; from += CHUNK)
    await run(`INSERT INTO animals (name, category_id, status, folded_name)
      SELECT 'Animal ' || i, i % 50, CASE i % 3 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' ELSE 'pending' END, 'animal ' || i
      FROM ${numbers(from, Math.min(ANIMALS, from + CHUNK - 1))}`);
  await run(`INSERT INTO orders (animal_id, status, placed_at, updated_at)
    SELECT id, CASE id / 100 % 4 WHEN 0 THEN 'placed' WHEN 1 THEN 'approved' ELSE 'delivered' END, ${NOW}, ${NOW}
    FROM animals WHERE id % 100 = 0`);
  await run(
    `INSERT INTO categories (id, name, folded_name) SELECT i, 'Category ' || i, 'category ' || i FROM ${numbers(0, 49)}`,
  );
  await run(`INSERT INTO keys (id, name, plan, per_minute, per_day, created_at, last_used_at)
    SELECT ${KEY_ID}, 'Key ' || i, 'pro', 300, 10000, ${NOW - 40 * DAY_MS} + i, ${NOW} FROM ${numbers(1, KEYS)}`);
  await run(`INSERT INTO tallies SELECT ${KEY_ID}, ${NOW}, 5, ${NOW}, i % 9000, 0, 0, ${NOW},
    CASE WHEN i % 1000 = 0 THEN ${NOW + HOUR_MS} ELSE 0 END, 0 FROM ${numbers(1, KEYS)}`);
  for (const [table, list] of [
    ["minutes", startsOf(MINUTE_MS, 61)],
    ["hours", startsOf(HOUR_MS, 24 * 31)],
    ["days", startsOf(DAY_MS, 32)],
  ] as const)
    for (const at of list.split(","))
      await run(`INSERT INTO key_usage_${table} (started_at, key_id, passed, client_error, minute_quota, ms_1, ms_10)
        SELECT ${at}, ${KEY_ID}, i % 100 + 1, 1, i % 7, 1, 2 FROM ${numbers(1, table === "hours" ? Math.ceil(KEYS / 10) : KEYS)}`);
  for (const [table, list] of [
    ["minutes", startsOf(MINUTE_MS, 61)],
    ["hours", startsOf(HOUR_MS, 24 * 31)],
  ] as const)
    await run(`INSERT INTO usage_${table} (started_at, passed, client_error, failed, ms_1, ms_10, ms_100)
      SELECT at, 1000, 50, 1, 500, 400, 150 FROM ${moments(list)}`);
}

/** Builds the console on a store as its thread does. */
function partsOf(store: Store, database: DatabaseUrl): ConsoleParts {
  const clock = systemClock;
  const onFailure = (error: unknown): never => {
    throw error;
  };
  const counters = countersOf(store, undefined);
  const run: ConsoleParts["background"]["run"] = (_, work) => void work(new AbortController().signal).catch(onFailure);
  return {
    settings: {
      environment: "production",
      version: "bench",
      database,
      publicUrl: undefined,
      knownHostNames: [],
      apiOrigin: "",
      base: "/console",
      isApart: false,
      uploadMaxBytes: undefined,
      bodyTimeoutMs: 1_000,
      logRequests: false,
      requestDays: 7,
    },
    store,
    clock,
    log: { info() {}, warn() {}, error() {} },
    failures: { report: (_, error) => onFailure(error) },
    refusals: { report() {}, mayLogEach: () => true, close() {} },
    background: { run },
    counters,
    openSnapshot: boundedSnapshots(() => openAnimalSnapshot(database)),
    cache: new ConsoleCache({ store, clock, counters, database, onFailure }),
    imports: new ImportJobs({ store, clock, run, onFailure }),
    nameIndexing: new NameIndexing({ isOn: true, nameIndex: store.nameIndex, run, onFailure }),
  };
}

const SESSION: SignedIn = { name: "bench", role: "operator", expiresAtMs: Number.MAX_SAFE_INTEGER, digest: "" };

/** The time until a request's JSON is complete. */
async function timed(parts: ConsoleParts, handler: ConsoleHandler, query: string, id = ""): Promise<number> {
  const beganMs = performance.now();
  const answer = await handler(parts, SESSION, {
    params: { id },
    query: new URLSearchParams(query),
    form: async () => undefined,
    hasSession: async () => true,
    request: new Request("http://localhost/"),
    caller: { address: "", origin: undefined, requestId: "" },
  });
  if (answer instanceof ConsoleFault) throw new Error(answer.message);
  JSON.stringify(answer);
  return performance.now() - beganMs;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** The longest time that the event loop was blocked while some work was going on. */
async function longestPause(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  let longest = 0;
  for (let lastMs = performance.now(); !isOver; ) {
    await new Promise(setImmediate);
    const nowMs = performance.now();
    longest = Math.max(longest, nowMs - lastMs);
    lastMs = nowMs;
  }
  await ended;
  return longest;
}

/** The first search makes the index on SQLite; on PostgreSQL the operator does. */
async function indexNames(kind: string, store: Store, make: () => Promise<unknown>): Promise<void> {
  const bytesBefore = await store.counts.bytes();
  const beganMs = performance.now();
  await make();
  const grown = (((await store.counts.bytes()) - bytesBefore) / 1e6).toFixed(0);
  say(`${kind}  names indexed in ${seconds(beganMs)}: the database has grown by ${grown} MB`);
}

async function measure(kind: string, store: Store, database: DatabaseUrl): Promise<void> {
  for (const span of ["hour", "day", "month"]) {
    // The first request, with cold caches.
    const parts = partsOf(store, database);
    const first = await timed(parts, showOverview, `span=${span}`);
    const beganMs = performance.now();
    const pause = await longestPause(parts.cache.settled());
    say(
      `${kind}  overview, ${span}: first ${ms(first)}; the rest is known ${ms(performance.now() - beganMs)} later, with pauses of ${ms(pause)} at most`,
    );
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push(await timed(parts, showOverview, `span=${span}`));
    say(`${kind}  overview, ${span}: median ${ms(median(times))}, slowest ${ms(Math.max(...times))}`);
  }
  const parts = partsOf(store, database);
  const anyKey = `key_${100000000000 + 1}`;
  for (const [what, handler, query, id] of [
    ["keys, first page", listOfKeys, "", ""],
    ["keys, by text", listOfKeys, "search=key+99", ""],
    ["keys, banned", listOfKeys, "state=banned", ""],
    ["keys, sorted by name", listOfKeys, "sort=name", ""],
    ["keys, most of today's quota first", listOfKeys, "sort=-today", ""],
    ["keys, most refused first", listOfKeys, "sort=-refused", ""],
    ["one key", viewOfKey, "", anyKey],
    ["one key, usage of 30 days", usageOfOneKey, "span=month", anyKey],
    ["overview, a period of a week", showOverview, `from=${NOW - 9 * DAY_MS}&until=${NOW - 2 * DAY_MS}`, ""],
    ["animals, first page", listAnimals, "", ""],
    ["animals, sorted by name", listAnimals, "sort=-name", ""],
    ["animals, by status", listAnimals, "status=sold", ""],
    ["animals, by category", listAnimals, "categoryId=7", ""],
    ["animals, by name", listAnimals, "name=animal+99", ""],
    ["animals, inside names, all match", listAnimals, "name=nimal&inside=true", ""],
    ["animals, inside names, some match", listAnimals, "name=l+99&inside=true", ""],
    ["animals, inside names, the oldest matches", listAnimals, "name=animal+77&inside=true&sort=id", ""],
    ["animals, inside names, frequent parts that are never together", listAnimals, "name=123123123&inside=true", ""],
    ["categories", listUsedCategories, "", ""],
    ["categories, by name", listUsedCategories, "name=category+1", ""],
    ["orders, placed", listOrders, "status=placed", ""],
    ["journal", listJournal, "", ""],
  ] as const) {
    await timed(parts, handler as ConsoleHandler, query, id);
    await parts.cache.settled();
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push(await timed(parts, handler as ConsoleHandler, query, id));
    say(`${kind}  ${what}: median ${ms(median(times))}, slowest ${ms(Math.max(...times))}`);
  }
  const { stock } = parts.cache;
  await stock.latest();
  const counted = await stock.settled().then(() => stock.latest());
  say(`${kind}  counted: ${JSON.stringify(counted)}`);
}

const seconds = (beganMs: number): string => `${((performance.now() - beganMs) / 1000).toFixed(0)} s`;

async function benchSqlite(): Promise<void> {
  const database = { kind: "sqlite", path: options.file ?? join(temporaryFolder(), "console.db") } as const;
  const opening = { connections: 1, threads: 1, mayMigrate: true };
  if (!existsSync(database.path)) {
    await (await openForServing(database, opening)).close();
    await fillSqlite(database.path);
  }
  const store = await openForServing(database, opening);
  await indexNames("SQLite", store, async () => {
    while (await store.nameIndex.extend());
  });
  await measure("SQLite", store, database);
  const beganMs = performance.now();
  await store.nameIndex.drop();
  say(`SQLite  the index of names removed in ${ms(performance.now() - beganMs)}, for which writes wait`);
  await store.close();
}

async function fillSqlite(path: string): Promise<void> {
  const beganMs = performance.now();
  const db = new Database(path, { strict: true });
  db.run("PRAGMA synchronous = OFF");
  db.run("PRAGMA cache_size = -400000");
  await fill({
    numbers: (from, to) =>
      `(WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to}) SELECT i FROM n)`,
    moments: (list) => `(SELECT value AS at FROM json_each('[${list}]'))`,
    run: async (sql) => db.run(sql),
  });
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  say(`SQLite  filled in ${seconds(beganMs)}`);
}

async function benchPostgres(): Promise<void> {
  const { url } = await TestPostgres.start({
    isVolatile: true,
    settings: { shared_buffers: "256MB", max_wal_size: "4GB" },
  });
  const database = { kind: "postgres", url } as const;
  const store = await openForServing(database, { connections: 3, threads: 1, mayMigrate: true });
  const beganMs = performance.now();
  await withSql(url, async (sql) => {
    await fill({
      numbers: (from, to) => `generate_series(${from}::bigint, ${to}::bigint) AS n (i)`,
      moments: (list) => `unnest(ARRAY[${list}]::bigint[]) AS t (at)`,
      run: (statement) => sql.unsafe(statement),
    });
    await sql.unsafe("VACUUM ANALYZE");
  });
  say(`PostgreSQL  filled in ${seconds(beganMs)}`);
  await indexNames("PostgreSQL", store, () => makeNameIndex(url));
  await measure("PostgreSQL", store, database);
  await store.close();
}

cleanUpOnAnyEnd();
if (options.only.includes("sqlite")) await benchSqlite();
if (options.only.includes("postgres")) await benchPostgres();
await endRun(0);
