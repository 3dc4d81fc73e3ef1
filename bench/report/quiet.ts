// Which rounds at a steady rate count. The bare server has no pauses of its own, so its p99 tells how quiet the machine
// was; and a generator that was late has added that to the latency.

import { whole } from "../common/tools.ts";
import type { Latency } from "../load/steady-load.ts";
import type { SteadyRow } from "../measures/steady.ts";
import { JOB_RATE, type JobRound, type JobRow } from "../measures/steady-jobs.ts";

/** The rate whose target is in milliseconds. Those of the others are relative to the bare server. */
export const BASE_RATE = 1_000;
export const BASE_MS_MAX = 1.2;

/** The highest p99 of the bare server on a quiet machine: at the base rate half of what this service is allowed there. */
export const quietMsAt = (perSecond: number): number => (perSecond <= BASE_RATE ? BASE_MS_MAX / 2 : BASE_MS_MAX);

/** Waking up takes a generator this long on a quiet machine at most. */
const LAG_MS_MAX = 0.25;

/** True if the generator's own delay makes up more than half of the p99. */
export const isSpoiled = ({ lagP99Ms, p99Ms }: Latency): boolean => lagP99Ms > Math.max(LAG_MS_MAX, p99Ms / 2);

export const isQuiet = (bare: Latency, perSecond: number): boolean =>
  bare.p99Ms <= quietMsAt(perSecond) && !isSpoiled(bare);

export const bareRowOf = (rows: readonly SteadyRow[], { perSecond, share }: SteadyRow): SteadyRow | undefined =>
  rows.find((row) => row.contender === "ceiling" && row.perSecond === perSecond && row.share === share);

/** The rounds of a row that count, each with that of the bare server. */
export function countedRounds(rows: readonly SteadyRow[], row: SteadyRow) {
  const bares = bareRowOf(rows, row)?.latencies ?? [];
  return row.latencies.flatMap((latency, round) => {
    const bare = bares[round];
    return bare && isQuiet(bare, row.perSecond) && !isSpoiled(latency) ? [{ latency, bare }] : [];
  });
}

/** The rounds of a job that count: those in which it has happened, too. */
export const countedJobRounds = ({ rounds }: JobRow): JobRound[] =>
  rounds.filter(
    ({ bare, without, beside, happened }) =>
      isQuiet(bare, JOB_RATE) && !isSpoiled(without) && !isSpoiled(beside) && happened.amount > 0,
  );

/** Words a rate, such as "8,000" or "7,300 (half of the capacity)". */
export const rateText = ({ perSecond, share }: SteadyRow): string =>
  share === undefined
    ? whole(perSecond)
    : `${whole(perSecond)} (${share === 0.25 ? "a quarter" : "half"} of the capacity)`;
