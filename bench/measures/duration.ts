import type { Settings } from "../common/settings.ts";
import { CONTENDER_NAMES, wantedWorkloads } from "../common/workloads.ts";
import type { Part } from "../report/results.ts";
import { JOB_NAMES } from "./jobs.ts";
import { SECONDS as SCALE_SECONDS } from "./scale.ts";
import { SHARES, STEADY_CONTENDERS, STEP_SECONDS } from "./steady.ts";
import { THREAD_COUNTS, THREAD_WORKLOADS } from "./threads.ts";

/** Overhead of one measurement: starting, checking and stopping a contender, and wrk's own beyond its duration. */
const AROUND_SECONDS = 0.4;
const WRK_SECONDS = 0.1;
/** The same for a steady load: its start, what it sends before that counts, and waiting for those that do not keep up. */
const STEADY_SECONDS = 0.9;
/** Until a sweep begins, at most. */
const SWEEP_SECONDS = 10;
/** The steps in which the capacity is searched. */
const CAPACITY_STEPS = 14;
const SECONDS_PER_MILLION_ANIMALS = 8;

/** Estimates the duration of a run in seconds. */
export function expectedSeconds(settings: Settings, parts: readonly Part[], hasFormer: boolean): number {
  const { rounds, seconds, warmUpSeconds, animals, sizes, costRounds, starts } = settings;
  const absent = new Set<string>(hasFormer ? [] : ["former revision"]);
  const once = warmUpSeconds + seconds + 2 * WRK_SECONDS;
  const pairs = wantedWorkloads(settings).flatMap(({ contenders }) =>
    contenders.filter((name) => !absent.has(name)),
  ).length;
  const perPart: Record<Part, number> = {
    throughput: rounds * pairs * (once + AROUND_SECONDS),
    steady: steadySeconds(settings),
    threads:
      THREAD_COUNTS.length *
      (rounds * (THREAD_WORKLOADS.length * (warmUpSeconds + seconds + 2 * WRK_SECONDS) + AROUND_SECONDS) +
        warmUpSeconds +
        settings.threadMemorySeconds),
    writes: rounds * (warmUpSeconds + 3 * seconds + 2 * 2 + AROUND_SECONDS),
    scale: rounds * sizes.length * (warmUpSeconds + 3 * (SCALE_SECONDS + WRK_SECONDS) + AROUND_SECONDS),
    cost: costRounds * 2 * (hasFormer ? 3 : 2) * (once + AROUND_SECONDS),
    start: starts * 3 * 0.2,
    memory: settings.memoryLoadSeconds + settings.memoryWatchSeconds,
  };
  const needs = (...wanted: Part[]) => wanted.some((part) => parts.includes(part));
  const filled =
    (needs("throughput") ? CONTENDER_NAMES.length * animals : 2 * animals) +
    (needs("steady") ? 5 * animals : 0) +
    (needs("scale", "cost", "start", "memory") ? Math.max(...sizes) : 0);
  const filling = (filled / 1e6) * SECONDS_PER_MILLION_ANIMALS;
  return parts.reduce((sum, part) => sum + perPart[part], filling);
}

function steadySeconds({ steady: { rounds, seconds, warmUpSeconds, rates, jobRounds, jobSeconds } }: Settings): number {
  const measurements = (rates.length + SHARES.length) * STEADY_CONTENDERS.length * (seconds + STEADY_SECONDS);
  const starts = STEADY_CONTENDERS.length * (warmUpSeconds + AROUND_SECONDS);
  const jobs =
    JOB_NAMES.length * 3 * (jobSeconds + STEADY_SECONDS) + 3 * (warmUpSeconds + AROUND_SECONDS) + SWEEP_SECONDS;
  return jobRounds * jobs + rounds * (starts + measurements) + CAPACITY_STEPS * (STEP_SECONDS + STEADY_SECONDS);
}
