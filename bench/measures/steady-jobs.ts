import { join } from "node:path";
import type { Stage } from "../common/stage.ts";
import { freePort, type Running, say, startProcess } from "../common/tools.ts";
import { LIST, mixedRequests, workloadNamed } from "../common/workloads.ts";
import { makeContenders } from "../contenders/contenders.ts";
import { type OurStore, startService } from "../contenders/service.ts";
import { warmUp, writeRequests } from "../load/load.ts";
import { type Latency, runSteadyLoad, shownLatency } from "../load/steady-load.ts";
import { addExpired, type Happened, JOB_NAMES, JOBS, type JobName } from "./jobs.ts";
import { WAIT_SECONDS } from "./steady.ts";
import { statusShares } from "./throughput.ts";

/** The rate at which jobs are measured. */
export const JOB_RATE = 1_000;

export interface JobRound {
  /** The bare server, just before. */
  readonly bare: Latency;
  readonly without: Latency;
  readonly beside: Latency;
  readonly happened: Happened;
}

export interface JobRow {
  readonly job: JobName;
  readonly rounds: JobRound[];
}

const BARE_WARM_UP_SECONDS = 1;
/** The sweep has a service of its own, with a clock that can be set. */
const AGED = join(import.meta.dir, "../contenders/aged-service.ts");
/** Until the keys of a job are known to all threads. */
const KEYS_SECONDS = 3;
/** The sweep has to last for as long, beyond what is measured. */
const SWEEP_MARGIN_SECONDS = 3;

/** Measures the mix at a steady rate, first without and then beside each job. */
export async function measureJobs(stage: Stage): Promise<JobRow[]> {
  const { animals, connections } = stage.settings;
  const { jobRounds, jobSeconds, warmUpSeconds } = stage.settings.steady;
  const rows: JobRow[] = JOB_NAMES.map((job) => ({ job, rounds: [] }));
  const [store, agedStore] = [await stage.newStore(animals), await stage.newStore(animals)];
  const requestsFile = await writeRequests(join(stage.folder, "jobs.requests"), mixedRequests(animals));
  const [bareContender] = await makeContenders(stage, ["ceiling"]);
  if (!bareContender) throw new Error("there is no bare server");
  const mix = workloadNamed("mix");
  const warm = async (running: Running, secret: string, seconds: number) => {
    const load = { origin: running.origin, secret, connections, requestsFile, seconds };
    await warmUp(load, statusShares(mix));
  };
  const send = ({ origin }: Running, secrets: readonly string[], seconds = jobSeconds): Promise<Latency> =>
    runSteadyLoad({
      origin,
      secrets,
      connections,
      perSecond: JOB_RATE,
      seconds,
      waitSeconds: WAIT_SECONDS,
      requestsFile,
    });

  for (let round = 1; round <= jobRounds; round++) {
    const bareServer = await bareContender.start(mix);
    await warm(bareServer, bareServer.secret, BARE_WARM_UP_SECONDS);
    const usual = await startService(store);
    await warm(usual, store.secret, warmUpSeconds);
    for (const { job, rounds } of rows) {
      const place = job === "sweep" ? await startAged(agedStore) : { store, service: usual };
      const { secret } = place.store;
      if (job === "sweep") await warm(place.service, secret, warmUpSeconds);
      const bare = await send(bareServer, [bareServer.secret]);
      const without = await send(place.service, [secret]);
      const { secrets, stop } = await JOBS[job](place);
      if (secrets) await send(place.service, secrets, Math.min(KEYS_SECONDS, jobSeconds));
      const beside = await send(place.service, secrets ?? [secret]);
      const happened = await stop();
      rounds.push({ bare, without, beside, happened });
      for (const [what, latency] of Object.entries({ bare, without, beside }))
        say(`round ${round}  ${job.padEnd(18)} ${what.padEnd(7)} ${shownLatency(latency)}`);
      say(`round ${round}  ${job.padEnd(18)} ${happened.text}`);
      if (job === "sweep") await place.service.stop();
    }
    await usual.stop();
    await bareServer.stop();
  }
  return rows;

  async function startAged(store: OurStore) {
    addExpired(store, jobSeconds + SWEEP_MARGIN_SECONDS);
    const port = freePort();
    const service = await startProcess({
      command: [process.execPath, AGED],
      cwd: store.folder,
      env: { ...store.env, PORT: String(port), LOG_LEVEL: "error" },
      origin: `http://127.0.0.1:${port}`,
      probe: LIST,
      secret: store.secret,
      status: 200,
    });
    return { store, service };
  }
}
