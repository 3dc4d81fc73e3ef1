/** How much is measured. */
export interface Settings {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly connections: number;
  /** In every contender's database. */
  readonly animals: number;
  /** The database sizes that lists are compared on, ascending. The last one is also used for memory and start. */
  readonly sizes: readonly number[];
  /** How long the mixed load runs before memory is first measured, and for how long it is sampled after that. */
  readonly memoryLoadSeconds: number;
  readonly memoryWatchSeconds: number;
  readonly starts: number;
}

export const FULL: Settings = {
  rounds: 5,
  seconds: 3,
  // Node's compiler is not finished after one.
  warmUpSeconds: 3,
  connections: 64,
  animals: 100_000,
  sizes: [1_000, 1_000_000, 10_000_000],
  memoryLoadSeconds: 60,
  memoryWatchSeconds: 600,
  starts: 11,
};

export const QUICK: Settings = {
  ...FULL,
  rounds: 1,
  seconds: 1,
  warmUpSeconds: 1,
  sizes: [1_000, 1_000_000],
  memoryLoadSeconds: 20,
  memoryWatchSeconds: 40,
  starts: 3,
};
