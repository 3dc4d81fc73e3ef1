// Compares a fleet of two instances on PostgreSQL and Redis with a fleet of a former revision, by CPU time per request.

import { join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { EXECUTABLE, issueBoundlessKey, type RunningService, serve } from "../../test/harness/program/program.ts";
import { TestPostgres } from "../../test/harness/servers/postgres.ts";
import { TestRedis } from "../../test/harness/servers/redis.ts";
import { executableOf } from "../../test/harness/service/release.ts";
import { CONNECTIONS, FLEET_WORKLOADS, fillPostgres } from "../common/fleet-workloads.ts";
import { median, say, whole } from "../common/tools.ts";
import { childNamed, microsOfFamily } from "../load/cpu.ts";
import { measure, writeRequests } from "../load/load.ts";
import { table } from "../report/sections.ts";
import { NO_WORSE, ratio } from "../report/targets.ts";

const INSTANCES = 2;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;

/** The service's default number of threads applies, unless the environment sets one. */
const THREADS: Record<string, string> = process.env.THREADS ? { THREADS: process.env.THREADS } : {};

interface Fleet {
  readonly secret: string;
  readonly instances: readonly RunningService[];
}

/** Requests per CPU-second: of the instances alone, and together with PostgreSQL and Redis. */
interface Yield {
  readonly instances: number[];
  readonly all: number[];
}

/** Returns true if no workload costs more than before. */
export async function compareFleets(revision: string, only: string, rounds: number): Promise<boolean> {
  const former = executableOf(revision);
  const server = await TestPostgres.start();
  const redis = await TestRedis.start();
  const folder = temporaryFolder();
  const startFleet = async (executable: string): Promise<Fleet> => {
    const env = { DATABASE_URL: await server.database(), REDIS_URL: redis.url };
    const options = { cwd: folder, env: { ...env, ...THREADS, LOG_LEVEL: "error" }, program: [executable] };
    const secret = await issueBoundlessKey(options);
    await fillPostgres(env.DATABASE_URL);
    return { secret, instances: await Promise.all(Array.from({ length: INSTANCES }, () => serve(options))) };
  };
  const fleets = { now: await startFleet(EXECUTABLE), before: await startFleet(former) };
  const shared = [childNamed("postgres"), childNamed("redis-server")];
  const works = FLEET_WORKLOADS.filter(({ name }) => name.includes(only));
  const yields = works.map(() => ({ now: emptyYield(), before: emptyYield() }));
  for (let round = 1; round <= rounds; round++)
    for (const [i, { name, requests }] of works.entries()) {
      const requestsFile = await writeRequests(join(folder, `${name}.requests`), requests);
      for (const when of round % 2 === 1 ? (["now", "before"] as const) : (["before", "now"] as const)) {
        const { instances, all } = await measureFleet(fleets[when], requestsFile, shared);
        const row = yields[i]?.[when];
        row?.instances.push(instances);
        row?.all.push(all);
        say(
          `round ${round}  ${name.padEnd(20)} ${when.padEnd(6)} ${whole(instances).padStart(8)} per CPU-second of the instances, ${whole(all).padStart(8)} of all`,
        );
      }
    }
  for (const { instances } of Object.values(fleets)) for (const instance of instances) await instance.kill("SIGTERM");
  return sayYields(
    works.map(({ name }) => name),
    yields,
  );
}

const emptyYield = (): Yield => ({ instances: [], all: [] });

/** Each instance has its own wrk, with its share of the connections. */
async function measureFleet({ instances, secret }: Fleet, requestsFile: string, shared: readonly number[]) {
  const pids = instances.map(({ child }) => child.pid);
  const cpuOf = (wanted: readonly number[]) => wanted.reduce((sum, pid) => sum + microsOfFamily(pid), 0);
  const load = (seconds: number) =>
    Promise.all(
      instances.map(({ origin }) =>
        measure({ origin, secret, connections: CONNECTIONS / INSTANCES, requestsFile, seconds }),
      ),
    );
  await load(WARM_UP_SECONDS);
  const before = [cpuOf(pids), cpuOf(shared)] as const;
  const measures = await load(SECONDS);
  const ours = cpuOf(pids) - before[0];
  const all = ours + cpuOf(shared) - before[1];
  const requests = measures.reduce((sum, measure) => sum + measure.requests, 0);
  return { instances: (requests * 1e6) / ours, all: (requests * 1e6) / all };
}

function sayYields(names: readonly string[], yields: readonly Record<"now" | "before", Yield>[]): boolean {
  let isNoneWorse = true;
  const rows = yields.map(({ now, before }, i) => {
    const ofInstances = ratio(now.instances, before.instances);
    const ofAll = ratio(now.all, before.all);
    const isMet = ofInstances.value >= NO_WORSE && ofAll.value >= NO_WORSE;
    isNoneWorse &&= isMet;
    const figures = [before.instances, now.instances, before.all, now.all].map((values) => whole(median(values)));
    const [instancesBefore = "", instancesNow = "", allBefore = "", allNow = ""] = figures;
    const verdict = isMet ? "✔ met" : "✘ missed";
    return [names[i] ?? "", instancesBefore, instancesNow, ofInstances.text, allBefore, allNow, ofAll.text, verdict];
  });
  say(`
Requests per CPU-second of ${INSTANCES} instances on PostgreSQL and Redis, before and now: of the instances, and of all processes together. The target is at least ${NO_WORSE} in both: less is a difference that a repeated run may turn around.
`);
  const head = ["work", "instances, before", "now", "ratio", "all, before", "now", "ratio", ""];
  say(table(head, rows));
  return isNoneWorse;
}
