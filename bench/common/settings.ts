import os from "node:os";
import { defaultThreads } from "../../src/start/threads/cores.ts";

/** How much is measured. */
export interface Settings {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly connections: number;
  /** In every contender's database. */
  readonly animals: number;
  /** The database sizes that lists are compared on, ascending. The last one is also used for cost, memory and start. */
  readonly sizes: readonly number[];
  /** How often the CPU time of a request is measured; there are fewer connections than elsewhere. */
  readonly costRounds: number;
  readonly costConnections: number;
  /** How long each number of threads is under load before its memory is measured. */
  readonly threadMemorySeconds: number;
  /** How long the mix runs before memory is first measured, and for how long it is sampled after that. */
  readonly memoryLoadSeconds: number;
  readonly memoryWatchSeconds: number;
  readonly starts: number;
}

export const FULL: Settings = {
  rounds: 5,
  seconds: 2,
  // Node's compiler is not finished after one; and each thread of ours has a compiler of its own.
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
};

export const CORES = os.availableParallelism();

/** As many as the service has unless told otherwise, and so the ceiling too. */
export const DEFAULT_THREADS = defaultThreads();
