import { join } from "node:path";
import type { Stage } from "../common/stage.ts";
import { type Answer, ask, freePort, type Request, type Running, say, startProcess, whole } from "../common/tools.ts";
import { anyAnimals, anyPages, type ContenderName, getPet, headerOf, listAfter } from "../common/workloads.ts";
import { databaseOf, type OurStore, startService } from "../contenders/service.ts";
import { measure, warmUp, writeRequests } from "../load/load.ts";

export const COST_NAMES = ["any page", "any animal"] as const;
export type CostName = (typeof COST_NAMES)[number];
export type CostContender = Extract<ContenderName, "THREADS=1" | "former revision"> | "bare server";

/** The cost of uncached requests: CPU time of the whole process in microseconds, user and system. */
export interface CostRow {
  readonly what: CostName;
  readonly animals: number;
  readonly who: CostContender;
  readonly cpuMicros: number[];
}

interface Cost {
  readonly what: CostName;
  readonly store: OurStore;
  readonly requestsFile: string;
  /** A request whose response is compared, byte for byte. */
  readonly sample: Request;
}

/** Measures this service on one thread and a bare server with the same statements, in turn on the same file. */
export async function measureCost(stage: Stage): Promise<CostRow[]> {
  const { sizes, animals, costRounds } = stage.settings;
  const costs = [
    await costOf(stage, "any page", Math.max(...sizes), anyPages, listAfter(4242)),
    await costOf(stage, "any animal", animals, anyAnimals, getPet(4242)),
  ];
  const contenders: CostContender[] = [
    "THREADS=1",
    ...(stage.former ? (["former revision"] as const) : []),
    "bare server",
  ];
  const rows: CostRow[] = costs.flatMap(({ what, store }) =>
    contenders.map((who) => ({ what, animals: store.animals, who, cpuMicros: [] })),
  );
  for (let round = 1; round <= costRounds; round++)
    for (const cost of costs) {
      let ours: string | undefined;
      for (const { who, cpuMicros } of rows.filter(({ what }) => what === cost.what)) {
        const { answer, micros } = await measureOnce(stage, cost, who);
        ours ??= answer;
        if (answer !== ours) throw new Error(`the ${who} answered ${answer} instead of ${ours}`);
        cpuMicros.push(micros);
        say(
          `round ${round}  ${whole(cost.store.animals)} animals, ${cost.what.padEnd(10)} ${who.padEnd(15)} ${micros.toFixed(1)} µs`,
        );
      }
    }
  return rows;
}

async function costOf(
  stage: Stage,
  what: CostName,
  animals: number,
  requests: (animals: number) => Request[],
  sample: Request,
): Promise<Cost> {
  const store = await stage.sharedStore(animals);
  const requestsFile = await writeRequests(join(stage.folder, `${what}.requests`), requests(animals));
  return { what, store, requestsFile, sample };
}

const OK = new Map([[200, 1]]);

async function measureOnce({ settings, former }: Stage, { store, requestsFile, sample }: Cost, who: CostContender) {
  const { origin, pid, stop } = await start(store, who, former, sample);
  const load = { origin, pid, secret: store.secret, connections: settings.costConnections, requestsFile };
  const answer = withoutOrigin(await ask(origin, sample, store.secret), origin);
  await warmUp({ ...load, seconds: settings.warmUpSeconds }, OK);
  const { cpuMicros } = await measure({ ...load, seconds: settings.seconds });
  await stop();
  return { answer, micros: cpuMicros };
}

/** Keeps the body and the link to the next page. The links of a single animal only announce its deprecation. */
function withoutOrigin(answer: Answer, origin: string): string {
  const link = headerOf(answer, "link") ?? "";
  return `${answer.status} ${link.includes("next") ? link.replace(origin, "") : ""} ${answer.body}`;
}

function start(store: OurStore, who: CostContender, former: string | undefined, probe: Request): Promise<Running> {
  if (who === "former revision") return startService({ ...store, executable: former ?? store.executable });
  if (who === "THREADS=1") return startService(store, { THREADS: "1" });
  const port = freePort();
  return startProcess({
    command: [process.execPath, join(import.meta.dir, "../contenders/bare-store.ts"), databaseOf(store)],
    cwd: store.folder,
    env: { PORT: String(port) },
    origin: `http://127.0.0.1:${port}`,
    probe,
    status: 200,
  });
}
