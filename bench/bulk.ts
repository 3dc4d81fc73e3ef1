// Compares imports and exports of many animals with the databases' own tools on the same rows, and measures what an
// import costs the clients of a running service.
// Run: npm run bench:bulk [-- --animals 1000000 --rounds 3 --only sqlite,postgres,memory,service,fleet]

import { Database } from "bun:sqlite";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../test/harness/folder.ts";
import { EXECUTABLE, issueBoundlessKey } from "../test/harness/program/program.ts";
import { TestPostgres, withSql } from "../test/harness/servers/postgres.ts";
import { repeatUntil } from "./common/repeat.ts";
import { type Ran, timed } from "./common/timed.ts";
import { cleanUpOnAnyEnd, endRun, median, requireTools, say, whole } from "./common/tools.ts";
import { mixedRequests } from "./common/workloads.ts";
import { databaseOf, makeStore, type OurStore, startService } from "./contenders/service.ts";
import { writeRequests } from "./load/load.ts";
import { type Latency, runSteadyLoad, type SteadyLoad, shownLatency } from "./load/steady-load.ts";

const { values: options } = parseArgs({
  options: {
    animals: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "sqlite,postgres,memory,service,fleet" },
  },
});
const ANIMALS = Number(options.animals);
const ROUNDS = Number(options.rounds);
const PER_SECOND = 1_000;
const CONNECTIONS = 64;
const SECONDS = 15;

const STATUSES = ["sold", "available", "pending"];

interface Files {
  /** The CSV that `animals import` reads. */
  readonly animals: string;
  /** The table's columns, folded names included, so that the databases' tools only have to add rows. */
  readonly rows: string;
}

async function writeFiles(folder: string, count: number): Promise<Files> {
  const files = { animals: join(folder, `animals-${count}.csv`), rows: join(folder, `rows-${count}.csv`) };
  const [animals, rows] = [Bun.file(files.animals).writer(), Bun.file(files.rows).writer()];
  animals.write("name,categoryId,status\n");
  for (let i = 1; i <= count; i++) {
    const status = STATUSES[i % 3];
    animals.write(`Animal ${i},${i % 50},${status}\n`);
    rows.write(`${i},Animal ${i},${i % 50},${status},animal ${i}\n`);
    if (i % 50_000 === 0) await Promise.all([animals.flush(), rows.flush()]);
  }
  await Promise.all([animals.end(), rows.end()]);
  return files;
}

/** The two take turns, so that they meet the same conditions. */
async function compare(what: string, ours: () => Promise<Ran>, theirs: () => Promise<Ran>): Promise<void> {
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const [mine, reference] = [await ours(), await theirs()];
    ratios.push(reference.seconds / mine.seconds);
    say(
      `${what.padEnd(46)} ${mine.seconds.toFixed(2)} s, ${whole(ANIMALS / mine.seconds)} animals/s, ${whole(mine.megabytes)} MB;  reference ${reference.seconds.toFixed(2)} s`,
    );
  }
  say(`${what.padEnd(46)} ${median(ratios).toFixed(2)} of the reference's speed (target: 0.5)\n`);
}

let made = 0;

async function newSqlite(parent: string): Promise<string> {
  const folder = join(parent, `sqlite-${++made}`);
  mkdirSync(folder);
  await timed([EXECUTABLE, "migrate"], folder);
  return folder;
}

async function benchSqlite(parent: string, files: Files): Promise<void> {
  let filled = "";
  await compare(
    "import, and sqlite3 .import",
    async () => {
      filled = await newSqlite(parent);
      return timed([EXECUTABLE, "animals", "import", files.animals], filled);
    },
    async () => {
      const folder = await newSqlite(parent);
      return timed(["sqlite3", "data/animal-store.db", ".mode csv", `.import ${files.rows} animals`], folder);
    },
  );
  await compare(
    "export, and sqlite3 -csv",
    () => timed([EXECUTABLE, "animals", "export", "--format", "csv", "--to", `export-${++made}.csv`], filled),
    () =>
      timed(
        ["sh", "-c", `sqlite3 -csv data/animal-store.db 'SELECT id, name, category_id, status FROM animals' > out.csv`],
        filled,
      ),
  );
}

async function benchPostgres(parent: string, files: Files): Promise<void> {
  const server = await TestPostgres.start();
  const newDatabase = async (): Promise<string> => {
    const name = `bulk_${++made}`;
    await withSql(server.url, (sql) => sql.unsafe(`CREATE DATABASE ${name}`));
    const url = server.url.replace(/[^/]+$/, name);
    await timed([EXECUTABLE, "migrate"], parent, { DATABASE_URL: url });
    return url;
  };
  await compare(
    "import on PostgreSQL, and psql \\copy",
    async () => {
      const env = { DATABASE_URL: await newDatabase() };
      return timed([EXECUTABLE, "animals", "import", files.animals], parent, env);
    },
    async () => {
      const url = await newDatabase();
      const copy = `\\copy animals (id, name, category_id, status, folded_name) FROM '${files.rows}' WITH (FORMAT csv)`;
      return timed(["psql", "-v", "ON_ERROR_STOP=1", "-c", copy, url], parent);
    },
  );
}

/** The peak memory of imports of files of several sizes. */
async function benchMemory(parent: string): Promise<void> {
  for (const count of [ANIMALS / 4, ANIMALS, ANIMALS * 3]) {
    const { animals } = await writeFiles(parent, count);
    const { megabytes, seconds } = await timed([EXECUTABLE, "animals", "import", animals], await newSqlite(parent));
    const size = statSync(animals).size / 1e6;
    say(
      `memory of an import of ${whole(count)} animals, ${whole(size)} MB: ${whole(megabytes)} MB, ${seconds.toFixed(1)} s (target: 150 MB)`,
    );
  }
  say("");
}

const SERVED = 100_000;

async function benchService(parent: string, files: Files): Promise<void> {
  const store = await makeStore(parent, "served", SERVED);
  await measureBeside("SQLite", store, files, async () => countAnimals(databaseOf(store)));
}

async function benchFleet(parent: string, files: Files): Promise<void> {
  const { url } = await TestPostgres.start();
  const env = { DATABASE_URL: url };
  const secret = await issueBoundlessKey({ cwd: parent, env, program: [EXECUTABLE] });
  const { animals } = await writeFiles(parent, SERVED);
  await timed([EXECUTABLE, "animals", "import", animals], parent, env);
  const store = { folder: parent, env, animals: SERVED, secret, executable: EXECUTABLE };
  const count = async () => Number((await withSql(url, (sql) => sql`SELECT count(*) AS n FROM animals`))[0].n);
  await measureBeside("PostgreSQL", store, files, count);
}

/** Latency at a steady rate, in turn without and beside an import that lasts as long. */
async function measureBeside(what: string, store: OurStore, files: Files, count: () => Promise<number>): Promise<void> {
  const { origin, stop } = await startService(store);
  const load: SteadyLoad = {
    origin,
    secrets: [store.secret],
    connections: CONNECTIONS,
    perSecond: PER_SECOND,
    seconds: SECONDS,
    waitSeconds: 30,
    requestsFile: await writeRequests(join(store.folder, "mix.requests"), mixedRequests(store.animals)),
  };
  const ratios: number[] = [];
  const show = (what: string, latency: Latency): void => say(`${what.padEnd(20)} ${shownLatency(latency)}`);
  await runSteadyLoad({ ...load, seconds: 5 });
  for (let round = 1; round <= ROUNDS; round++) {
    const alone = await runSteadyLoad(load);
    show("without an import", alone);
    const ended = new AbortController();
    const before = await count();
    const command = [EXECUTABLE, "animals", "import", "--again", files.animals];
    const imports = repeatUntil(ended.signal, () => command, store.folder, store.env);
    const beside = await runSteadyLoad(load);
    ended.abort();
    await imports;
    show("beside an import", beside);
    say(`${"".padEnd(20)} ${whole((await count()) - before)} animals added meanwhile`);
    ratios.push(beside.p99Ms / alone.p99Ms);
  }
  await stop();
  say(
    `${what}, p99 at ${whole(PER_SECOND)} requests/s beside an import: ${median(ratios).toFixed(2)} of that without (target: 2)`,
  );
}

function countAnimals(path: string): number {
  const db = new Database(path, { readonly: true });
  const { count } = db.query("SELECT count(*) AS count FROM animals").get() as { count: number };
  db.close();
  return count;
}

cleanUpOnAnyEnd();
requireTools({ sqlite3: "sqlite3", psql: "postgresql-client" });
const parent = temporaryFolder();
const files = await writeFiles(parent, ANIMALS);
const parts: Record<string, () => Promise<void>> = {
  sqlite: () => benchSqlite(parent, files),
  postgres: () => benchPostgres(parent, files),
  memory: () => benchMemory(parent),
  service: () => benchService(parent, files),
  fleet: () => benchFleet(parent, files),
};
for (const [name, part] of Object.entries(parts)) if (options.only.split(",").includes(name)) await part();
await endRun(0);
