import type { Stage } from "../common/stage.ts";
import { say, whole } from "../common/tools.ts";
import { type ContenderName, workloadNamed } from "../common/workloads.ts";
import { makeContenders } from "../contenders/contenders.ts";
import { type Latency, runSteadyLoad, type SteadyLoad, shownLatency } from "../load/steady-load.ts";
import { rotated, startWarm } from "./throughput.ts";

/** The ceiling is the bare server here: it is the one that answers the whole mix, on as many threads as this service. */
export const STEADY_CONTENDERS = [
  "this service",
  "THREADS=1",
  "ceiling",
  "Fastify",
] as const satisfies readonly ContenderName[];
export type SteadyContender = (typeof STEADY_CONTENDERS)[number];

/** The shares of the capacity that are measured too. */
export const SHARES = [0.25, 0.5] as const;

export interface SteadyRow {
  readonly perSecond: number;
  /** The share of this service's capacity, if it was derived from that. */
  readonly share?: number;
  readonly contender: SteadyContender;
  /** One for each round. */
  readonly latencies: Latency[];
}

export interface SteadyResult {
  /** The highest rate of the mix at which this service kept up, or 0 if it did not even at the lowest one. */
  readonly capacity: number;
  readonly rows: readonly SteadyRow[];
}

const FIRST_RATE = 1_000;
const STEP = 1.25;
export const STEP_SECONDS = 1;
/** Beyond that, most requests have waited for others: the queue grows as long as the rate lasts. */
const MEDIAN_MS_MAX = 10;
export const WAIT_SECONDS = 1;

/** True if the server was as fast as requests came, apart from pauses. */
export const keepsUp = ({ failed, unanswered, p50Ms }: Latency): boolean =>
  failed + unanswered === 0 && p50Ms <= MEDIAN_MS_MAX;

/** Measures the mix at steady rates, with all contenders in turn at each rate. All run, but only one has requests. */
export async function measureSteady(stage: Stage): Promise<SteadyResult> {
  const { rounds, seconds, warmUpSeconds, rates } = stage.settings.steady;
  const reference = await stage.reference();
  const contenders = await makeContenders(stage, STEADY_CONTENDERS);
  let capacity = 0;
  let rows: SteadyRow[] = [];
  for (let round = 1; round <= rounds; round++) {
    const running: (Awaited<ReturnType<typeof startWarm>> & { readonly name: ContenderName })[] = [];
    for (const contender of contenders) {
      const warm = await startWarm(contender, workloadNamed("mix"), reference, stage, warmUpSeconds);
      running.push({ ...warm, name: contender.name });
    }
    const send = (name: ContenderName, perSecond: number, seconds: number): Promise<Latency> => {
      const { load } = running.find((one) => one.name === name) as (typeof running)[number];
      return sendTo(load, perSecond, seconds);
    };
    if (round === 1) {
      capacity = await findCapacity(async (rate) => {
        const latency = await send("this service", rate, STEP_SECONDS);
        say(`capacity  ${whole(rate).padStart(7)} /s  ${shownLatency(latency)}`);
        return latency;
      });
      rows = rowsOf(rates, capacity);
    }
    for (const perSecond of new Set(rows.map((row) => row.perSecond)))
      for (const row of rotated(
        rows.filter((row) => row.perSecond === perSecond),
        round,
      )) {
        const latency = await send(row.contender, perSecond, seconds);
        row.latencies.push(latency);
        say(`round ${round}  ${whole(perSecond).padStart(7)} /s  ${row.contender.padEnd(13)} ${shownLatency(latency)}`);
      }
    for (const { check, stop } of running) {
      await check();
      await stop();
    }
  }
  return { capacity, rows };
}

interface Target extends Pick<SteadyLoad, "origin" | "connections" | "requestsFile"> {
  readonly secret: string | undefined;
}

const sendTo = ({ secret = "", ...load }: Target, perSecond: number, seconds: number): Promise<Latency> =>
  runSteadyLoad({ ...load, secrets: [secret], perSecond, seconds, waitSeconds: WAIT_SECONDS });

/** Every contender at every rate, which ascend. */
function rowsOf(rates: readonly number[], capacity: number): SteadyRow[] {
  const all = [
    ...rates.map((perSecond) => ({ perSecond })),
    ...(capacity > 0 ? SHARES : []).map((share) => ({ perSecond: Math.round(capacity * share), share })),
  ].sort((a, b) => a.perSecond - b.perSecond);
  return all.flatMap((rate) => STEADY_CONTENDERS.map((contender) => ({ ...rate, contender, latencies: [] })));
}

/**
 * Raises the rate step by step until it is not kept up with, twice in a row: once may be another process's fault. Returns
 * the last rate that was.
 */
export async function findCapacity(sendAt: (perSecond: number) => Promise<Latency>): Promise<number> {
  let capacity = 0;
  for (let perSecond = FIRST_RATE; ; perSecond = Math.round((perSecond * STEP) / 100) * 100) {
    const isKept = keepsUp(await sendAt(perSecond)) || keepsUp(await sendAt(perSecond));
    if (!isKept) return capacity;
    capacity = perSecond;
  }
}
