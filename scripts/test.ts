// Runs tests on all cores. What they share is made once: a PostgreSQL server, a Redis server, the executable, the
// package of the client.
// Usage: bun scripts/test.ts [parts of file names] [options of bun test, as --name=value]

import { join } from "node:path";
import { packClient } from "../client/test/harness/pack.ts";
import { cleanUp } from "../test/harness/cleanup.ts";
import { TestPostgres } from "../test/harness/servers/postgres.ts";
import { hasRedis, startSharedRedis } from "../test/harness/servers/redis.ts";
import { build } from "./build.ts";

const ROOT = join(import.meta.dir, "..");
const BUILD = join(ROOT, "build");
const TIMEOUT_MS = 30_000;
/** How long each file took last time, so that the slowest start first. */
const TIMINGS = join(BUILD, "test-timings.json");
/** Files whose tests are about deadlines in real time: nothing else may compete with them for the processor. */
const ALONE = [
  "test/fleet/fleet.test.ts",
  "test/meter/redis/meter.test.ts",
  "test/process/failing-disk.test.ts",
  "test/meter/redis/slow.test.ts",
  "test/torture/outages.test.ts",
  "test/torture/rolling.test.ts",
];

/** Starts what any of the files shares with others, and says where it is. Run by itself, a file starts its own. */
async function startShared(files: readonly string[]): Promise<Record<string, string>> {
  const sources = await Promise.all(files.map((file) => Bun.file(join(ROOT, file)).text()));
  const isUsed = (name: string): boolean => sources.some((source) => source.includes(name));
  const env: Record<string, string> = {};
  const startPostgres = async () => {
    env.TEST_DATABASE_URL = (await TestPostgres.start({ isVolatile: true })).url;
  };
  const startRedis = async () => {
    env.TEST_REDIS_URL = (await startSharedRedis()).url;
  };
  const pack = async () => {
    env.TEST_CLIENT_PACKAGE = JSON.stringify(await packClient());
  };
  const onBothStores = isUsed("onEveryStore") && hasRedis && process.env.TEST_STORES !== "sqlite";
  await Promise.all([
    (onBothStores || isUsed("databaseMaker")) && !process.env.TEST_DATABASE_URL && startPostgres(),
    onBothStores && startRedis(),
    (isUsed("harness/program/") || isUsed("harness/browser/desk.ts") || isUsed("/torture/")) && build(BUILD),
    files.some((file) => file.startsWith("client/")) && pack(),
  ]);
  return env;
}

let isInterrupted = false;

/** Runs test files. A signal ends them; what was started for them ends after them. */
async function bunTest(files: readonly string[], options: readonly string[], env: object): Promise<number> {
  if (files.length === 0 || isInterrupted) return 0;
  const paths = files.map((file) => `./${file}`);
  const tests = Bun.spawn([process.execPath, "test", `--timeout=${TIMEOUT_MS}`, ...options, ...paths], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      isInterrupted = true;
      tests.kill(signal);
    });
  return tests.exited;
}

async function main(args: readonly string[]): Promise<number> {
  const filters = args.filter((arg) => !arg.startsWith("-"));
  const options = args.filter((arg) => arg.startsWith("-"));
  const files = [...new Bun.Glob("{src,test,client,console}/**/*.test.ts").scanSync({ cwd: ROOT })]
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort();
  if (files.length === 0) {
    console.error(`No test file has ${filters.join(" or ")} in its name.`);
    return 1;
  }
  const env = await startShared(files);
  const together = files.filter((file) => !ALONE.includes(file));
  const alone = files.filter((file) => ALONE.includes(file));
  const timings = [`--timings=${TIMINGS}`, "--update-timings"];
  const failures = await bunTest(together, ["--parallel", ...timings, ...options], env);
  return (await bunTest(alone, ["--isolate", ...options], env)) || failures;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} finally {
  await cleanUp();
}
