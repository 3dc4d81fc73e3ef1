// Runs test files beside each other. They share a PostgreSQL server, a Redis server, the executable and the package of
// the client, which are made once.
// Usage: bun scripts/test.ts [parts of file names] [--browser] [--workers=N] [options of bun test, as --name=value]

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packClient } from "../client/test/harness/pack.ts";
import { atEnd, cleanUp } from "../test/harness/cleanup.ts";
import { newCluster, newTemplate, TestPostgres } from "../test/harness/servers/postgres.ts";
import { hasRedis, startSharedRedis } from "../test/harness/servers/redis.ts";
import { build } from "./build.ts";
import { newMemoryFolder } from "./testing/memory-folder.ts";
import { isGood, type RunResult, runBatches, summarize } from "./testing/test-run.ts";
import { bundleWriter } from "./testing/writer-bundle.ts";

const ROOT = join(import.meta.dir, "..");
const BUILD = join(ROOT, "build");
const PRELOAD = "--preload=./scripts/testing/preload.ts";
/** The time that each file took in the last run, so that the slowest start first. */
const TIMINGS = join(BUILD, "test-timings.json");
/** A run that takes longer hangs. */
const LIMIT_MS = 20 * 60_000;
/** Attacks keep the machine busy, so they run only when they are asked for (`npm run test:torture`). */
const ATTACKS = "test/torture/";
/** Files that use this drive a browser; they run together, when that is asked for (`npm run test:browser`). */
const BROWSER = "harness/browser/";
/** Files that load the same modules, with how many run in one process: it loads and compiles those only once. */
const TOGETHER: readonly (readonly [folder: string, files: number])[] = [
  ["src/", 12],
  ["test/spec/", 6],
  ["test/http/", 4],
  ["test/meter/", 3],
];
/** Hints of how long a file takes that has not run yet, in ms: the first that its source has in it. */
const GUESSES: readonly (readonly [string, number])[] = [
  [BROWSER, 20_000],
  ["/torture/", 10_000],
  ["harness/servers/", 8_000],
  ["harness/program/", 6_000],
  ["onEveryStore", 2_000],
];

/** Sockets of PostgreSQL and Chromium need a short path, and nginx's configuration one without spaces. */
const PLAIN_FOLDER = /^[\w./-]{1,60}$/;

/** A server of hundreds of short-lived databases: each worker of autovacuum would find one of them untouched. */
const MANY_DATABASES = { autovacuum: "off", wal_level: "minimal", max_wal_senders: "0", max_wal_size: "4GB" };

interface TestFile {
  readonly path: string;
  readonly source: string;
}

/** Finds the files that are named, those that drive a browser, or, if nothing is asked for, those of `npm test`. */
async function findFiles(filters: readonly string[], isForBrowser: boolean): Promise<TestFile[]> {
  const paths = [...new Bun.Glob("{src,test,client,console}/**/*.test.ts").scanSync({ cwd: ROOT })];
  const files = await Promise.all(
    paths.map(async (path) => ({ path, source: await Bun.file(join(ROOT, path)).text() })),
  );
  if (filters.length > 0) return files.filter(({ path }) => filters.some((filter) => path.includes(filter)));
  return files.filter(({ path, source }) => source.includes(BROWSER) === isForBrowser && !path.startsWith(ATTACKS));
}

function slowestFirst(files: readonly TestFile[], timings: Record<string, number>): string[][] {
  const expectedMs = ({ path, source }: TestFile): number =>
    timings[path] ?? GUESSES.find(([hint]) => source.includes(hint))?.[1] ?? 500;
  return batchesOf(files)
    .map((batch) => ({ paths: batch.map(({ path }) => path), ms: sum(batch.map(expectedMs)) }))
    .sort((a, b) => b.ms - a.ms)
    .map(({ paths }) => paths);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

function batchesOf(files: readonly TestFile[]): TestFile[][] {
  const folderOf = ({ path }: TestFile) => TOGETHER.find(([folder]) => path.startsWith(folder));
  const inOrder = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const families = Map.groupBy(inOrder, (file) => folderOf(file)?.[0] ?? file.path);
  return [...families.values()].flatMap((family) => {
    const size = folderOf(family[0] as TestFile)?.[1] ?? 1;
    return Array.from({ length: Math.ceil(family.length / size) }, (_, i) => family.slice(i * size, (i + 1) * size));
  });
}

/** Starts what several files share, and says where it is. Run by itself, a file starts its own. */
async function startShared(files: readonly TestFile[], folder: string): Promise<Record<string, string>> {
  const isUsed = (name: string): boolean => files.some(({ source }) => source.includes(name));
  const env: Record<string, string> = {};
  const startPostgres = async () => {
    process.env.TEST_CLUSTER = env.TEST_CLUSTER = await newCluster();
    env.TEST_DATABASE_URL = (await TestPostgres.start({ isVolatile: true, settings: MANY_DATABASES })).url;
    env.TEST_DATABASE_TEMPLATE = await newTemplate(env.TEST_DATABASE_URL);
  };
  const startRedis = async () => {
    env.TEST_REDIS_URL = (await startSharedRedis()).url;
  };
  const pack = async () => {
    env.TEST_CLIENT_PACKAGE = JSON.stringify(await packClient());
  };
  const bundleThread = async () => {
    env.TEST_WRITER = JSON.stringify(await bundleWriter(folder));
  };
  const buildExecutable = async () => {
    env.TEST_EXECUTABLE = await build(BUILD);
  };
  const onBothStores = isUsed("onEveryStore") && hasRedis && process.env.TEST_STORES !== "sqlite";
  await Promise.all([
    (onBothStores || isUsed("atabaseMaker")) && !process.env.TEST_DATABASE_URL && startPostgres(),
    onBothStores && startRedis(),
    (isUsed("harness/program/") || isUsed("harness/browser/desk.ts") || isUsed("/torture/")) && buildExecutable(),
    files.some(({ path }) => path.startsWith("client/")) && pack(),
    bundleThread(),
  ]);
  return env;
}

/** A folder that somebody has chosen is used, if the programs that tests start can. */
function chooseTemporaryFolder(): void {
  const memory = process.env.TMPDIR ? undefined : newMemoryFolder();
  if (memory) {
    atEnd(() => rmSync(memory, { recursive: true, force: true }));
    process.env.TMPDIR = memory;
  } else if (!PLAIN_FOLDER.test(tmpdir())) process.env.TMPDIR = "/tmp";
}

/** Aborted when the run is interrupted, or takes too long. */
function endOfRun(): AbortSignal {
  const end = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => end.abort());
  setTimeout(() => end.abort(), LIMIT_MS).unref();
  return end.signal;
}

const readTimings = (): Promise<Record<string, number>> =>
  Bun.file(TIMINGS)
    .json()
    .catch(() => ({}));

async function writeTimings({ finished }: RunResult, earlier: Record<string, number>): Promise<void> {
  const complete = finished.filter(({ trouble }) => !trouble);
  const timings = Object.fromEntries(
    complete.flatMap(({ files, ms }) => files.map((file) => [file, Math.round(ms / files.length)])),
  );
  mkdirSync(BUILD, { recursive: true });
  await Bun.write(TIMINGS, JSON.stringify({ ...earlier, ...timings }, null, 2));
}

async function main(args: readonly string[]): Promise<number> {
  const beganMs = performance.now();
  const filters = args.filter((arg) => !arg.startsWith("-"));
  const workers = args.map((arg) => /^--workers=(\d+)$/.exec(arg)?.[1]).find(Boolean);
  const files = await findFiles(filters, args.includes("--browser"));
  if (files.length === 0) {
    console.error(`No test file has ${filters.join(" or ")} in its name.`);
    return 1;
  }
  chooseTemporaryFolder();
  const signal = endOfRun();
  const timings = await readTimings();
  const outputs = mkdtempSync(join(tmpdir(), "animal-store-tests-"));
  try {
    const result = await runBatches(slowestFirst(files, timings), {
      cwd: ROOT,
      env: { ...process.env, ...(await startShared(files, outputs)) },
      options: [PRELOAD, ...args.filter((arg) => arg.startsWith("-") && !/^--(?:workers=.*|browser)$/.test(arg))],
      signal,
      outputs,
      print: (text) => void process.stdout.write(text),
      ...(workers ? { workers: Number(workers) } : {}),
    });
    process.stdout.write(`\n${summarize(result, performance.now() - beganMs)}\n`);
    await writeTimings(result, timings);
    return isGood(result) ? 0 : 1;
  } finally {
    rmSync(outputs, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} finally {
  await cleanUp();
}
