// Times the migration of names on a large table, and then every kind of list: its first, middle and last page.
// Run: npm run bench:lists [-- --animals 2000000 --only sqlite]

import { Database } from "bun:sqlite";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { AnimalStatus } from "../src/domain/stock/animal.ts";
import { POSTGRES_MIGRATIONS } from "../src/store/migrations/postgres/index.ts";
import { SQLITE_MIGRATIONS } from "../src/store/migrations/sqlite/index.ts";
import type { AnimalQuery, OrderQuery, Store } from "../src/store/ports/store.ts";
import { migrateDatabase } from "../src/store/postgres/migrate.ts";
import { openForServing as openPostgres } from "../src/store/postgres/store.ts";
import { type Migration, migrate } from "../src/store/schema/migrate.ts";
import { APPLICATION_ID } from "../src/store/sqlite/file/database.ts";
import { migrationTarget } from "../src/store/sqlite/schema/migration-target.ts";
import { openForServing as openSqlite } from "../src/store/sqlite/store.ts";
import { temporaryFolder } from "../test/harness/folder.ts";
import { TestPostgres, withSql } from "../test/harness/servers/postgres.ts";
import { cleanUpOnAnyEnd, endRun, median, say, whole } from "./common/tools.ts";

const { values: options } = parseArgs({
  options: { animals: { type: "string", default: "2000000" }, only: { type: "string", default: "" } },
});
const ANIMALS = Number(options.animals);
const RUNS = 200;
const SIZE = 20;
const CHUNK = 250_000;

/** The schema of release 1.1.0, which has no folded names. */
const before = (migrations: readonly Migration[]): readonly Migration[] =>
  migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === "corrections"),
  );

// Every fourth animal is called Rex, so that a quarter of them share a name; each status has a third of the animals.
const animalValues = (i: string) =>
  `CASE ${i} % 4 WHEN 0 THEN 'Rex' ELSE 'Animal ' || ${i} END, ${i} % 50,
  CASE ${i} % 3 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' ELSE 'pending' END`;
const INSERT_ANIMALS = "INSERT INTO animals (name, category_id, status)";
const FILL_ORDERS = `INSERT INTO orders (animal_id, status, placed_at, updated_at, reference)
  SELECT id, CASE id / 4 % 2 WHEN 0 THEN 'delivered' ELSE 'cancelled' END, 0, 0,
    CASE WHEN id % 10 < 4 THEN 'often' WHEN id % 10 < 8 THEN 'r' || id END FROM animals WHERE id % 4 = 1`;

interface Timed {
  readonly what: string;
  readonly list: (store: Store) => Promise<number>;
}

const MIDDLE = BigInt(Math.floor(ANIMALS / 2));
const END = BigInt(ANIMALS - 10);

const animals = (what: string, query: Omit<AnimalQuery, "size">): Timed => ({
  what: `animals ${what}`,
  list: async (store) => (await store.animals.list({ size: SIZE, ...query })).rows.length,
});
const orders = (what: string, query: Omit<OrderQuery, "size">): Timed => ({
  what: `orders ${what}`,
  list: async (store) => (await store.orders.list({ size: SIZE, ...query })).rows.length,
});

/** There is an order for every fourth animal. */
const PAGES = [
  ["first", undefined, undefined],
  ["middle", { id: MIDDLE }, { id: MIDDLE / 4n }],
  ["last", { id: END }, { id: END / 4n }],
] as const;

const byId = (["id", "-id"] as const).flatMap((sort) =>
  PAGES.flatMap(([page, after, afterOrder]) => [
    animals(`${sort}, ${page}`, { sort, after }),
    animals(`${sort}, status, ${page}`, { sort, after, status: "sold" }),
    animals(`${sort}, category, ${page}`, { sort, after, categoryId: 7n }),
    animals(`${sort}, category and status, ${page}`, { sort, after, categoryId: 7n, status: "sold" }),
    orders(`${sort}, ${page}`, { sort, after: afterOrder }),
    orders(`${sort}, status, ${page}`, { sort, after: afterOrder, status: "delivered" }),
    orders(`${sort}, pet, ${page}`, { sort, after: afterOrder, animalId: 4n * (MIDDLE / 4n) + 1n }),
    orders(`${sort}, reference of 40 %, ${page}`, { sort, after: afterOrder, reference: "often" }),
    orders(`${sort}, reference and status, ${page}`, {
      sort,
      after: afterOrder,
      reference: "often",
      status: "cancelled",
    }),
    orders(`${sort}, reference of none, ${page}`, { sort, after: afterOrder, reference: "none" }),
  ]),
);

const byName = ([undefined, "sold"] as (AnimalStatus | undefined)[]).flatMap((status) => {
  const suffix = status === undefined ? "" : " and status";
  return [
    animals(`name${suffix}, 75 % match, first`, { status, name: "a" }),
    animals(`name${suffix}, 75 % match, middle`, { status, name: "a", after: { id: 5n, foldedName: "animal 5" } }),
    animals(`name${suffix}, 75 % match, last`, { status, name: "a", after: { id: 5n, foldedName: "animal 99999" } }),
    animals(`name${suffix}, 25 % are the same, first`, { status, name: "rex" }),
    animals(`name${suffix}, 25 % are the same, middle`, {
      status,
      name: "rex",
      after: { id: MIDDLE, foldedName: "rex" },
    }),
    animals(`name${suffix}, 25 % are the same, last`, { status, name: "rex", after: { id: END, foldedName: "rex" } }),
    animals(`name${suffix}, few match`, { status, name: "animal 12345" }),
    animals(`name${suffix}, none match`, { status, name: "zzz" }),
  ];
});

async function timeLists(database: string, store: Store): Promise<void> {
  for (const { what, list } of [...byId, ...byName]) {
    const times: number[] = [];
    let rows = 0;
    for (let run = 0; run < RUNS; run++) {
      const beganMs = performance.now();
      rows = await list(store);
      times.push((performance.now() - beganMs) * 1000);
    }
    say(
      `${database}  ${what.padEnd(50)} ${String(rows).padStart(3)} rows  median ${whole(median(times)).padStart(6)} µs  slowest ${whole(Math.max(...times)).padStart(7)} µs`,
    );
  }
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const beganMs = performance.now();
    await store.maintenance.foldNames();
    times.push((performance.now() - beganMs) * 1000);
  }
  say(`${database}  ${"nothing to fold".padEnd(50)}           median ${whole(median(times)).padStart(6)} µs`);
}

const seconds = (beganMs: number): string => `${((performance.now() - beganMs) / 1000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

async function benchSqlite(): Promise<void> {
  const path = join(temporaryFolder(), "lists.db");
  const db = new Database(path, { strict: true, safeIntegers: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA cache_size = -16000");
  db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  await migrate(migrationTarget(db), before(SQLITE_MIGRATIONS));
  for (let from = 1; from <= ANIMALS; from += CHUNK)
    db.run(`${INSERT_ANIMALS} WITH RECURSIVE n (i) AS
      (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.min(ANIMALS, from + CHUNK - 1)})
      SELECT ${animalValues("i")} FROM n`);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const sizeBefore = statSync(path).size;
  let largestLog = 0;
  const steps = new Map<string, number>();
  const target = migrationTarget(db);
  const beganMs = performance.now();
  await migrate(
    {
      ...target,
      async run(due) {
        const stepMs = performance.now();
        const isDone = await target.run(due);
        const name = `${due.position + 1} ${due.step.kind}`;
        steps.set(name, (steps.get(name) ?? 0) + performance.now() - stepMs);
        if (due.step.kind === "fold") largestLog = Math.max(largestLog, statSync(`${path}-wal`).size);
        return isDone;
      },
    },
    SQLITE_MIGRATIONS,
  );
  say(
    `SQLite  migrated ${whole(ANIMALS)} animals in ${seconds(beganMs)} (${[...steps].map(([name, ms]) => `${name}: ${(ms / 1000).toFixed(1)} s`).join(", ")}); log at most ${megabytes(largestLog)} while folding, ${megabytes(statSync(`${path}-wal`).size)} after the indexes; file ${megabytes(sizeBefore)} → ${megabytes(statSync(path).size)}`,
  );
  db.run(FILL_ORDERS);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const store = await openSqlite(path);
  await timeLists("SQLite", store);
  await store.close();
  rmSync(path);
}

/** Acts like an instance of release 1.1.0 during the migration. The slowest of each call shows if it was blocked. */
async function useMeanwhile(url: string, isOver: () => boolean): Promise<string> {
  const slowest: Record<string, number> = {};
  let count = 0;
  await withSql(url, async (sql) => {
    const timed = async (what: string, text: string) => {
      const beganMs = performance.now();
      await sql.unsafe(text);
      slowest[what] = Math.max(slowest[what] ?? 0, performance.now() - beganMs);
    };
    while (!isOver()) {
      const id = 1 + Math.floor(Math.random() * ANIMALS);
      await timed("read", `SELECT id, name, category_id, status FROM animals WHERE id = ${id}`);
      await timed("change", `UPDATE animals SET status = 'pending' WHERE id = ${id}`);
      await timed("add", `${INSERT_ANIMALS} VALUES ('New', 1, 'sold')`);
      count++;
      await Bun.sleep(5);
    }
  });
  const shown = Object.entries(slowest).map(([what, ms]) => `slowest ${what} ${ms.toFixed(0)} ms`);
  return `${count} of each meanwhile: ${shown.join(", ")}`;
}

async function benchPostgres(): Promise<void> {
  const { url } = await TestPostgres.start({ settings: { shared_buffers: "256MB" } });
  await migrateDatabase(url, () => {}, { migrations: before(POSTGRES_MIGRATIONS) });
  await withSql(url, async (sql) => {
    for (let from = 1; from <= ANIMALS; from += CHUNK)
      await sql.unsafe(
        `${INSERT_ANIMALS} SELECT ${animalValues("i")} FROM generate_series(${from}, ${Math.min(ANIMALS, from + CHUNK - 1)}) i`,
      );
    await sql.unsafe("VACUUM ANALYZE");
  });
  const bytesOf = () =>
    withSql(url, async (sql) => Number((await sql`SELECT pg_total_relation_size('animals') AS bytes`)[0].bytes));
  const sizeBefore = await bytesOf();
  let isOver = false;
  const meanwhile = useMeanwhile(url, () => isOver);
  const beganMs = performance.now();
  await migrateDatabase(url, () => {});
  const took = seconds(beganMs);
  isOver = true;
  say(
    `PostgreSQL  migrated ${whole(ANIMALS)} animals in ${took}; table and indexes ${megabytes(sizeBefore)} → ${megabytes(await bytesOf())}; ${await meanwhile}`,
  );
  const store = await openPostgres(url, { connections: 4 });
  const foldMs = performance.now();
  while (await store.maintenance.foldNames());
  say(`PostgreSQL  folded what was added meanwhile in ${seconds(foldMs)}`);
  await withSql(url, (sql) => sql.unsafe(FILL_ORDERS));
  await withSql(url, (sql) => sql.unsafe("VACUUM ANALYZE"));
  await timeLists("PostgreSQL", store);
  await store.close();
}

cleanUpOnAnyEnd();
if (options.only !== "postgres") await benchSqlite();
if (options.only !== "sqlite") await benchPostgres();
await endRun(0);
