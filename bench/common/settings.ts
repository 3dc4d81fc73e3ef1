import os from "node:os";
import { defaultThreads } from "../../src/start/threads/cores.ts";
import type { WorkloadName } from "./workloads.ts";

/** The extent of the measurements. */
export interface Settings {
  readonly rounds: number;
  /** The rows of throughput that are measured again, with the former revision alone; undefined: all, with everybody. */
  readonly rows?: readonly WorkloadName[] | undefined;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly connections: number;
  /** The number of animals in every contender's database. */
  readonly animals: number;
  /** The database sizes that lists are compared on, ascending. The last one is also used for cost, memory and start. */
  readonly sizes: readonly number[];
  /** Rounds and connections of the CPU time measurements. */
  readonly costRounds: number;
  readonly costConnections: number;
  /** Time under load, per number of threads, before its memory is measured. */
  readonly threadMemorySeconds: number;
  /** Time that the mix runs before memory is first measured, and the time that it is sampled after that. */
  readonly memoryLoadSeconds: number;
  readonly memoryWatchSeconds: number;
  readonly starts: number;
  readonly steady: SteadySettings;
}

/** The extent of the measurements at a steady rate. */
export interface SteadySettings {
  readonly rounds: number;
  readonly seconds: number;
  /** Longer than elsewhere, because one process is measured at all rates. */
  readonly warmUpSeconds: number;
  /** Requests/s, ascending. */
  readonly rates: readonly number[];
  readonly jobRounds: number;
  /** The interval of the usage flush, so that each measurement beside it has one. */
  readonly jobSeconds: number;
}

export const FULL: Settings = {
  rounds: 5,
  seconds: 2,
  // One second is too short for Node's compiler, and each of our threads has its own.
  warmUpSeconds: 2,
  connections: 64,
  animals: 100_000,
  sizes: [1_000, 10_000_000],
  costRounds: 6,
  costConnections: 16,
  threadMemorySeconds: 10,
  memoryLoadSeconds: 60,
  memoryWatchSeconds: 600,
  starts: 11,
  steady: { rounds: 3, seconds: 4, warmUpSeconds: 4, rates: [1_000, 4_000, 8_000], jobRounds: 2, jobSeconds: 5 },
};

export const QUICK: Settings = {
  ...FULL,
  rounds: 1,
  seconds: 1,
  warmUpSeconds: 1,
  sizes: [1_000, 100_000],
  costRounds: 1,
  threadMemorySeconds: 1,
  memoryLoadSeconds: 3,
  memoryWatchSeconds: 10,
  starts: 3,
  steady: { ...FULL.steady, rounds: 1, seconds: 0.5, warmUpSeconds: 1, jobRounds: 1, jobSeconds: 0.5 },
};

export const CORES = os.availableParallelism();

/** The service's default number of threads; the ceiling gets as many. */
export const DEFAULT_THREADS = defaultThreads();
