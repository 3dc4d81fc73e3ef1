// Compares one instance on PostgreSQL and Redis with the embedded store, pgbench and redis-benchmark; or, with
// --against, a fleet of two with one of a former revision. Contenders take turns over several rounds; on a noisy
// machine, the ratios of medians are what counts. Needs wrk, pgbench, redis-server and redis-benchmark.
// Run: npm run bench:fleet [-- --only get --rounds 1 --against REVISION]

import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../src/base/time/clock.ts";
import { ratePolicyOfKey } from "../src/domain/limits/tally.ts";
import { argumentsOf, JUDGE_SCRIPT, keyOf } from "../src/meter/redis/commands/script.ts";
import { RedisMeter } from "../src/meter/redis/meter.ts";
import { connectRedis, whenReady } from "../src/meter/redis/servers/client.ts";
import { serversOf } from "../src/meter/redis/servers/servers.ts";
import { parseRedisUrl, type RedisUrl } from "../src/meter/redis-url.ts";
import { POSTGRES } from "../src/store/postgres/connections/dialect.ts";
import { animalLists } from "../src/store/sql/lists.ts";
import { temporaryFolder } from "../test/harness/folder.ts";
import { newTallyTable } from "../test/harness/meters/memory.ts";
import { issueBoundlessKey, serve } from "../test/harness/program/program.ts";
import { TestPostgres } from "../test/harness/servers/postgres.ts";
import { TestRedis } from "../test/harness/servers/redis.ts";
import { ANIMALS, CONNECTIONS, FLEET_WORKLOADS, type FleetWorkload, fillPostgres } from "./common/fleet-workloads.ts";
import { cleanUpOnAnyEnd, endRun, fillAnimals, median, requireTools, say, spread, whole } from "./common/tools.ts";
import { childNamed, microsOfEndedChildren, microsOfFamily } from "./load/cpu.ts";
import { measure, writeRequests } from "./load/load.ts";
import { compareFleets } from "./measures/fleet-revisions.ts";
import { ratio } from "./report/targets.ts";

const SECONDS = 4;
const WARM_UP_SECONDS = 1;

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "3" },
    against: { type: "string" },
  },
});

requireTools({
  wrk: "wrk",
  pgbench: "postgresql-contrib",
  "redis-server": "redis-server",
  "redis-benchmark": "redis-tools",
});
cleanUpOnAnyEnd();

if (options.against !== undefined) {
  const isNoneWorse = await compareFleets(options.against, options.only, Number(options.rounds));
  await endRun(isNoneWorse ? 0 : 1);
}

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
await fillPostgres(database);

const PROCESSES: Record<string, number> = {
  service: fleet.child.pid,
  PostgreSQL: childNamed("postgres"),
  Redis: childNamed("redis-server"),
};

const cpuTimes = (): Record<string, number> => ({
  ...Object.fromEntries(Object.entries(PROCESSES).map(([name, pid]) => [name, microsOfFamily(pid)])),
  wrk: microsOfEndedChildren(),
});

/** Microseconds of CPU time per request of each process, by workload. */
const costs = new Map<string, Record<string, number>>();

/** Measures requests/s. Throws unless all of them succeed. */
async function wrk({ origin, secret }: typeof embedded, { name, requests }: FleetWorkload): Promise<number> {
  const requestsFile = await writeRequests(join(folder, `${name}.requests`), requests);
  const load = { origin, secret, connections: CONNECTIONS, requestsFile };
  await measure({ ...load, seconds: WARM_UP_SECONDS });
  const before = cpuTimes();
  const { perSecond } = await measure({ ...load, seconds: SECONDS });
  const after = cpuTimes();
  const perRequest = Object.keys(after).map((process) => [
    process,
    ((after[process] as number) - (before[process] as number)) / (perSecond * SECONDS),
  ]);
  costs.set(name, Object.fromEntries(perRequest));
  return perSecond;
}

/** Measures transactions/s of one statement, on as many connections as the service has. */
async function pgbench(name: string, statement: string): Promise<number> {
  const script = join(folder, `${name}.sql`);
  await Bun.write(script, `${statement};\n`);
  const { hostname, port, pathname } = new URL(database);
  const timing = ["-n", "-M", "prepared", "-c", "10", "-j", "1", "-T", String(SECONDS), "-f", script];
  const address = ["-h", hostname, "-p", port, "-U", "postgres", pathname.slice(1)];
  const { stdout, stderr } = Bun.spawnSync(["pgbench", ...timing, ...address]);
  const tps = /tps = ([\d.]+)/.exec(stdout.toString())?.[1];
  if (tps === undefined) throw new Error(stderr.toString());
  return Number(tps);
}

const POLICY = ratePolicyOfKey({ perMinute: 1e9, perDay: 1e9 }, undefined);
const CALLS = 40_000;

/** Measures the meter's calls/s, with as many callers as redis-benchmark has clients. */
async function meterCalls(): Promise<number> {
  const url = parseRedisUrl(redis.url) as RedisUrl;
  const client = connectRedis(url);
  await whenReady(client);
  const meter = new RedisMeter({
    client,
    servers: serversOf(client, url),
    clock: systemClock,
    table: newTallyTable(systemClock),
    onServerChange: () => {},
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
  const args = argumentsOf({ policy: POLICY, strikes: undefined, requests: 1, nowMs: undefined });
  const load = ["-p", String(redis.port), "-n", String(CALLS), "-c", String(CONNECTIONS), "--csv"];
  const call = ["EVALSHA", String(sha), "1", keyOf("bench"), ...args.map(String)];
  const { stdout } = Bun.spawnSync(["redis-benchmark", ...load, ...call]);
  return Number(/"EVALSHA[^\n]*?,"([\d.]+)"/.exec(stdout.toString())?.[1]);
}

const LIST_STATEMENT = ["'available'", "0", "21"]
  .reduce((text, value, i) => text.replaceAll(`$${i + 1}`, value), animalLists(POSTGRES).byStatus)
  .replaceAll("\n", " ");
const INSERT = "INSERT INTO animals (name, category_id, status) VALUES ('Rex', 7, 'available') RETURNING id";

const FLEET = "PostgreSQL + Redis";
const contenders: Record<string, () => number | Promise<number>> = {};
for (const work of FLEET_WORKLOADS) {
  contenders[`${work.name}: embedded`] = () => wrk(embedded, work);
  contenders[`${work.name}: ${FLEET}`] = () => wrk(fleet, work);
}
contenders["any page: pgbench, same statement"] = () => pgbench("list", LIST_STATEMENT);
contenders["create: pgbench, one statement each"] = () => pgbench("create", INSERT);
contenders["limiter: our Redis call"] = meterCalls;
contenders["limiter: redis-benchmark EVALSHA"] = redisBenchmark;

const results = new Map<string, number[]>();
for (let round = 1; round <= Number(options.rounds); round++)
  for (const [name, measure] of Object.entries(contenders)) {
    if (!name.includes(options.only)) continue;
    const value = await measure();
    results.set(name, [...(results.get(name) ?? []), value]);
    say(`round ${round}  ${name.padEnd(38)} ${whole(value).padStart(9)} /s`);
  }

/** Measures the round trips to Redis per request. */
async function redisTrips(): Promise<number> {
  const asked = 500;
  await redis.ask((client) => client.config("RESETSTAT"));
  for (let i = 0; i < asked; i++)
    await fetch(`${fleet.origin}/v1/pets?limit=1`, { headers: { Authorization: `Bearer ${fleet.secret}` } });
  return (await redis.calls("evalsha")) / asked;
}

say("\n| what | median per second | spread |\n|---|---|---|");
for (const [name, values] of results) say(`| ${name} | ${whole(median(values))} | ${spread(values)} |`);

let missed = 0;
say("\n| ratio | value | target | |\n|---|---|---|---|");
function sayRatio(name: string, a: string, b: string, target?: number): void {
  const [measured, reference] = [results.get(a), results.get(b)];
  if (!measured || !reference) return;
  const { value, text } = ratio(measured, reference);
  const isMet = target === undefined || value >= target;
  if (!isMet) missed++;
  const verdict = target === undefined ? "" : isMet ? "pass" : "FAIL";
  say(`| ${name} | ${text} | ${target === undefined ? "" : `at least ${target.toFixed(2)}`} | ${verdict} |`);
}
for (const { name, target } of FLEET_WORKLOADS)
  sayRatio(`${name}: ${FLEET} / embedded`, `${name}: ${FLEET}`, `${name}: embedded`, target);
sayRatio(`any page: ${FLEET} / pgbench`, `any page: ${FLEET}`, "any page: pgbench, same statement");
sayRatio(`create: ${FLEET} / pgbench`, `create: ${FLEET}`, "create: pgbench, one statement each");
sayRatio("limiter: our call / redis-benchmark", "limiter: our Redis call", "limiter: redis-benchmark EVALSHA");
say(`| Redis round trips per request | ${await redisTrips()} | | |`);

say("\nCPU time per request on PostgreSQL and Redis, in microseconds (last round):");
const parts = [...Object.keys(PROCESSES), "wrk"];
say(`\n| work | ${parts.join(" | ")} |\n|---|${parts.map(() => "---|").join("")}`);
for (const [name, cost] of costs) say(`| ${name} | ${parts.map((part) => whole(cost[part] ?? 0)).join(" | ")} |`);

await embedded.kill("SIGTERM");
await fleet.kill("SIGTERM");
await endRun(missed === 0 ? 0 : 1);
