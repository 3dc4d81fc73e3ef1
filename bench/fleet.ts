// Compares one instance on PostgreSQL and Redis with the embedded store, pgbench and redis-benchmark.
// Contenders take turns over several rounds; on a noisy machine, the ratios of medians are what counts.
// Needs wrk, pgbench, redis-server and redis-benchmark. Run: npm run bench:fleet

import { join } from "node:path";
import postgres from "postgres";
import { systemClock } from "../src/domain/clock.ts";
import { ratePolicyOfKey } from "../src/domain/tally.ts";
import { BoundedMeter } from "../src/meter/memory.ts";
import { connectRedis, whenReady } from "../src/meter/redis/client.ts";
import { RedisMeter } from "../src/meter/redis/meter.ts";
import { argumentsOf, JUDGE_SCRIPT, keyOf } from "../src/meter/redis/script.ts";
import { animalLists } from "../src/store/lists.ts";
import { POSTGRES } from "../src/store/postgres/dialect.ts";
import { temporaryFolder } from "../test/harness/folder.ts";
import { TestPostgres } from "../test/harness/postgres.ts";
import { issueBoundlessKey, serve } from "../test/harness/program.ts";
import { TestRedis } from "../test/harness/redis.ts";

import { measure, writeRequests } from "./load.ts";
import { anyPages } from "./scale.ts";
import {
  animalColumns,
  cleanUpOnAnyEnd,
  endRun,
  fillAnimals,
  median,
  requireTools,
  say,
  spread,
  whole,
} from "./tools.ts";
import { CREATE } from "./works.ts";

const ANIMALS = 100_000;
const ROUNDS = 3;
const SECONDS = 4;
const CONNECTIONS = 64;

requireTools({
  wrk: "wrk",
  pgbench: "postgresql-contrib",
  "redis-server": "redis-server",
  "redis-benchmark": "redis-tools",
});
cleanUpOnAnyEnd();

const server = await TestPostgres.start();
const redis = await TestRedis.start();
const database = await server.database();
const folder = temporaryFolder();

async function start(env: Record<string, string>) {
  const secret = await issueBoundlessKey({ cwd: folder, env });
  const service = await serve({ cwd: folder, env: { ...env, LOG_LEVEL: "error" } });
  return { ...service, secret };
}

const embedded = await start({ DATABASE_URL: "sqlite:bench.db" });
const fleet = await start({ DATABASE_URL: database, REDIS_URL: redis.url });

await fillAnimals(join(folder, "bench.db"), ANIMALS);
const sql = postgres(database, { max: 1, onnotice: () => {} });
await sql.unsafe(
  `INSERT INTO animals (name, category_id, status) SELECT ${animalColumns("i")} FROM generate_series(1, ${ANIMALS}) i`,
);
await sql`VACUUM ANALYZE animals`;

const CREATIONS = await writeRequests(join(folder, "creations.requests"), [CREATE]);
/** Different pages: those in the embedded store's reply cache would say nothing about the stores. */
const LISTS = await writeRequests(join(folder, "lists.requests"), anyPages(ANIMALS));

/** Requests/s that a service answers, all of them successfully. */
async function wrk({ origin, secret }: typeof embedded, work: "list" | "create"): Promise<number> {
  const requestsFile = work === "list" ? LISTS : CREATIONS;
  return (await measure({ origin, secret, connections: CONNECTIONS, seconds: SECONDS, requestsFile })).perSecond;
}

/** Transactions/s of one statement on as many connections as the service has. */
async function pgbench(name: string, statement: string): Promise<number> {
  const script = join(folder, `${name}.sql`);
  await Bun.write(script, `${statement};\n`);
  const { hostname, port, pathname } = new URL(database);
  const { stdout, stderr } = Bun.spawnSync([
    "pgbench",
    "-n",
    "-M",
    "prepared",
    "-c",
    "10",
    "-j",
    "1",
    "-T",
    String(SECONDS),
    "-f",
    script,
    "-h",
    hostname,
    "-p",
    port,
    "-U",
    "postgres",
    pathname.slice(1),
  ]);
  const tps = /tps = ([\d.]+)/.exec(stdout.toString())?.[1];
  if (tps === undefined) throw new Error(stderr.toString());
  return Number(tps);
}

const POLICY = ratePolicyOfKey({ perMinute: 1e9, perDay: 1e9 }, undefined);
const CALLS = 40_000;

/** Calls/s of the meter, from as many callers as redis-benchmark has clients. */
async function meterCalls(): Promise<number> {
  const client = connectRedis([redis.url]);
  await whenReady(client);
  const meter = new RedisMeter({
    client,
    clock: systemClock,
    fallback: new BoundedMeter(systemClock, 10),
    onDegraded: () => {},
  });
  let left = CALLS;
  const from = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) await meter.judge("bench", POLICY);
    }),
  );
  const tookMs = performance.now() - from;
  await meter.close();
  return (CALLS * 1000) / tookMs;
}

async function redisBenchmark(): Promise<number> {
  const sha = await redis.ask((client) => client.script("LOAD", JUDGE_SCRIPT));
  const args = argumentsOf({ policy: POLICY, strikes: undefined, isRequest: true, nowMs: undefined });
  const { stdout } = Bun.spawnSync([
    "redis-benchmark",
    "-p",
    String(redis.port),
    "-n",
    String(CALLS),
    "-c",
    String(CONNECTIONS),
    "--csv",
    "EVALSHA",
    String(sha),
    "1",
    keyOf("bench"),
    ...args.map(String),
  ]);
  return Number(
    /,"([\d.]+)"/.exec(
      stdout
        .toString()
        .split("\n")
        .find((line) => line.startsWith('"EVALSHA')) ?? "",
    )?.[1],
  );
}

const LIST_STATEMENT = ["'available'", "0", "21"]
  .reduce((text, value, i) => text.replaceAll(`$${i + 1}`, value), animalLists(POSTGRES).byStatus)
  .replaceAll("\n", " ");
const INSERT = "INSERT INTO animals (name, category_id, status) VALUES ('Rex', 7, 'available') RETURNING id";

const contenders: Record<string, () => number | Promise<number>> = {
  "list: embedded": () => wrk(embedded, "list"),
  "list: PostgreSQL + Redis": () => wrk(fleet, "list"),
  "list: pgbench, same statement": () => pgbench("list", LIST_STATEMENT),
  "create: embedded": () => wrk(embedded, "create"),
  "create: PostgreSQL + Redis": () => wrk(fleet, "create"),
  "create: pgbench, same statement": () => pgbench("create", INSERT),
  "limiter: our Redis call": meterCalls,
  "limiter: redis-benchmark EVALSHA": redisBenchmark,
};

const results = new Map<string, number[]>();
for (let round = 1; round <= ROUNDS; round++)
  for (const [name, measure] of Object.entries(contenders)) {
    const value = await measure();
    results.set(name, [...(results.get(name) ?? []), value]);
    say(`round ${round}  ${name.padEnd(34)} ${whole(value).padStart(9)} /s`);
  }

await redis.ask((client) => client.config("RESETSTAT"));
const asked = 500;
for (let i = 0; i < asked; i++)
  await fetch(`${fleet.origin}/v1/pets?limit=1`, { headers: { Authorization: `Bearer ${fleet.secret}` } });
const trips = (await redis.calls("evalsha")) / asked;

const valuesOf = (name: string): number[] => results.get(name) as number[];
const ratio = (a: string, b: string): string => (median(valuesOf(a)) / median(valuesOf(b))).toFixed(2);

say("\n| what | median per second | spread |\n|---|---|---|");
for (const [name, values] of results) say(`| ${name} | ${whole(median(values))} | ${spread(values)} |`);
say("\n| ratio | value |\n|---|---|");
say(`| list: PostgreSQL + Redis / embedded | ${ratio("list: PostgreSQL + Redis", "list: embedded")} |`);
say(`| list: PostgreSQL + Redis / pgbench | ${ratio("list: PostgreSQL + Redis", "list: pgbench, same statement")} |`);
say(`| create: PostgreSQL + Redis / embedded | ${ratio("create: PostgreSQL + Redis", "create: embedded")} |`);
say(
  `| create: PostgreSQL + Redis / pgbench | ${ratio("create: PostgreSQL + Redis", "create: pgbench, same statement")} |`,
);
say(
  `| limiter: our call / redis-benchmark | ${ratio("limiter: our Redis call", "limiter: redis-benchmark EVALSHA")} |`,
);
say(`| Redis round trips per request | ${trips} |`);

await sql.end();
await embedded.kill("SIGTERM");
await fleet.kill("SIGTERM");
await endRun(0);
