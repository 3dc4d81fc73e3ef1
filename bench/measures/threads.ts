import { join } from "node:path";
import type { Stage } from "../common/stage.ts";
import { ask, say } from "../common/tools.ts";
import { assertRight, CHECKS, ourCursor, type WorkloadName, workloadNamed } from "../common/workloads.ts";
import { startService } from "../contenders/service.ts";
import { microsOfThreads } from "../load/cpu.ts";
import { type Measure, measure, warmUp, writeRequests } from "../load/load.ts";
import { residentMb } from "./memory.ts";
import { shown, statusShares } from "./throughput.ts";

export const THREAD_COUNTS = [1, 2, 4] as const;
export const THREAD_WORKLOADS = ["mix", "list"] as const satisfies readonly WorkloadName[];
export type ThreadWork = (typeof THREAD_WORKLOADS)[number];

export interface ThreadsRow {
  readonly threads: number;
  readonly measures: Readonly<Record<ThreadWork, Measure[]>>;
  /** The writer thread's CPU time per request of the mix, in microseconds. */
  readonly writerMicros: number[];
  /** Resident memory after the mix and a longer run of it, in a separate process. */
  readonly residentMb: number;
}

/** Measures the cost of a request with more threads, even with too few cores for them, and the cost of a thread. */
export async function measureThreads(stage: Stage): Promise<ThreadsRow[]> {
  const { rounds, animals } = stage.settings;
  const store = await stage.newStore(animals);
  for (const name of THREAD_WORKLOADS)
    await writeRequests(
      join(stage.folder, `threads-${name}.requests`),
      workloadNamed(name).requests(animals, ourCursor),
    );
  const rows = THREAD_COUNTS.map((threads) => ({
    threads,
    measures: { mix: [], list: [] } as Record<ThreadWork, Measure[]>,
    writerMicros: [] as number[],
    residentMb: 0,
  }));
  for (let round = 1; round <= rounds; round++)
    for (const row of rows) {
      const { origin, pid, stop } = await startService(store, { THREADS: String(row.threads) });
      const run = loader(stage, { origin, pid, secret: store.secret });
      const ours = (await stage.reference()).list;
      assertRight("list", await ask(origin, CHECKS.list.request(ourCursor), store.secret), ours, "this service");
      const usage = threadUsage(pid);
      row.measures.list.push(await run("list"));
      usage.lap();
      const mix = await run("mix");
      row.measures.mix.push(mix);
      row.writerMicros.push(usage.ofWriter() * mix.cpuMicros);
      for (const name of THREAD_WORKLOADS)
        say(`round ${round}  ${row.threads} threads, ${name.padEnd(4)} ${shown(row.measures[name].at(-1) as Measure)}`);
      if (round === rounds) {
        await run("mix", stage.settings.threadMemorySeconds);
        row.residentMb = await residentMb(pid);
        say(`memory with ${row.threads} threads: ${row.residentMb.toFixed(0)} MB`);
      }
      await stop();
    }
  return rows;
}

function loader({ settings, folder }: Stage, service: { origin: string; pid: number; secret: string }) {
  const { connections, seconds: usual, warmUpSeconds } = settings;
  return async (name: ThreadWork, seconds = usual): Promise<Measure> => {
    const load = { ...service, connections, requestsFile: join(folder, `threads-${name}.requests`) };
    await warmUp({ ...load, seconds: warmUpSeconds }, statusShares(workloadNamed(name)));
    return measure({ ...load, seconds });
  };
}

/**
 * Finds the writer's share of CPU time. Threads have no names, but the writer is the one worker that is idle while only
 * lists are requested. So the lists come first; `lap()` marks the start of the mix.
 */
function threadUsage(pid: number) {
  const begin = microsOfThreads(pid);
  let middle = begin;
  const between = (from: typeof begin, to: typeof begin, id: string) =>
    (to.get(id)?.micros ?? 0) - (from.get(id)?.micros ?? 0);
  return {
    lap() {
      middle = microsOfThreads(pid);
    },
    /** The writer's share in the CPU time of all threads since the lap. */
    ofWriter(): number {
      const end = microsOfThreads(pid);
      const workers = [...end].filter(([, { name }]) => name === WORKER).map(([id]) => id);
      const [writer] = workers.sort((a, b) => between(begin, middle, a) - between(begin, middle, b));
      const all = [...end.keys()].reduce((sum, id) => sum + between(middle, end, id), 0);
      return writer === undefined ? 0 : between(middle, end, writer) / all;
    },
  };
}

/** Bun's name for worker threads. */
const WORKER = "Worker";
