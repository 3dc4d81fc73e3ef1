import { join } from "node:path";
import type { Stage } from "../common/stage.ts";
import { ask, say, whole } from "../common/tools.ts";
import {
  answersOf,
  assertRight,
  CHECKS,
  type ContenderName,
  type Workload,
  type WorkloadName,
  wantedWorkloads,
} from "../common/workloads.ts";
import { type Contender, makeContenders } from "../contenders/contenders.ts";
import { exhaust, type Reference } from "../contenders/service.ts";
import { type Load, type Measure, measure, type StatusShares, warmUp, writeRequests } from "../load/load.ts";

/** One contender's rounds of one workload. */
export interface Series {
  readonly work: WorkloadName;
  readonly contender: ContenderName;
  readonly measures: Measure[];
}

/** Measures every workload with its contenders in turn, each time in a new process. */
export async function measureThroughput(stage: Stage): Promise<Series[]> {
  const { rounds } = stage.settings;
  const workloads = wantedWorkloads(stage.settings);
  const reference = await stage.reference();
  const contenders = await makeContenders(stage, [...new Set(workloads.flatMap(({ contenders }) => contenders))]);
  // Sorted into the order of the report.
  const series: Series[] = workloads.flatMap(({ name, contenders: wanted }) =>
    wanted
      .filter((contender) => contenders.some(({ name }) => name === contender))
      .map((contender) => ({ work: name, contender, measures: [] })),
  );
  for (let round = 1; round <= rounds; round++)
    for (const work of workloads)
      for (const contender of rotated(contenders, round)) {
        const row = series.find((row) => row.work === work.name && row.contender === contender.name);
        if (!row) continue;
        const result = await measureOnce(contender, work, reference, stage);
        row.measures.push(result);
        say(`round ${round}  ${work.name.padEnd(13)} ${contender.name.padEnd(20)} ${shown(result)}`);
      }
  return series;
}

export const shown = ({ perSecond, p50Ms, p99Ms, cpuMicros }: Measure): string =>
  `${whole(perSecond).padStart(9)} /s  p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms${cpuMicros > 0 ? `  CPU ${cpuMicros.toFixed(1)} µs` : ""}`;

/** Rotates the order, so that a different contender begins each round. */
export const rotated = <T>(items: readonly T[], by: number): T[] =>
  items.map((_, i) => items[(i + by) % items.length] as T);

/** The share of each status in all responses. */
export function statusShares({ answers }: Workload): StatusShares {
  const shares = new Map<number, number>();
  for (const [name, share] of Object.entries(answers)) {
    const { status } = CHECKS[name as keyof typeof CHECKS];
    shares.set(status, (shares.get(status) ?? 0) + share);
  }
  return shares;
}

/** Short, because the bare servers have hardly any code to compile. */
const BARE_WARM_UP_SECONDS = 1;

async function measureOnce(contender: Contender, work: Workload, reference: Reference, stage: Stage): Promise<Measure> {
  const { seconds, warmUpSeconds } = stage.settings;
  const { load, check, stop } = await startWarm(contender, work, reference, stage, warmUpSeconds);
  const result = await measure({ ...load, seconds });
  await check();
  await stop();
  return result;
}

/** Starts a contender, checks its responses, and warms it up. `check` does so again. */
export async function startWarm(
  contender: Contender,
  work: Workload,
  reference: Reference,
  { settings, folder }: Stage,
  warmUpSeconds: number,
) {
  const { name: who, cursorAfter, isBare } = contender;
  const requestsFile = join(folder, `${work.name}-${cursorAfter.name}.requests`);
  if (!(await Bun.file(requestsFile).exists()))
    await writeRequests(requestsFile, work.requests(settings.animals, cursorAfter));
  const { origin, secret, pid, stop } = await contender.start(work);
  const sent = work.isAnonymous ? undefined : secret;
  if (work.name === "limited") await exhaust(origin, secret);
  const check = async () => {
    for (const name of answersOf(work).filter((name) => !(isBare && name === "page")))
      assertRight(name, await ask(origin, CHECKS[name].request(cursorAfter), sent), reference[name], who);
  };
  const shares = statusShares(work);
  const load = {
    origin,
    pid,
    secret: sent,
    connections: settings.connections,
    requestsFile,
    isRefused: [...shares.keys()].every((status) => status >= 400),
  } satisfies Omit<Load, "seconds">;
  await check();
  await warmUp({ ...load, seconds: isBare ? BARE_WARM_UP_SECONDS : warmUpSeconds }, shares);
  return { load, check, stop };
}
