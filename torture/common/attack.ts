import { Random } from "./random.ts";
import { Scoreboard } from "./scoreboard.ts";

/** How an attack is run: by run.ts for minutes, by a test for a few rounds. */
export interface AttackOptions {
  /** Repeats what the attack chooses; not the timing of processes. */
  readonly seed: number;
  /** It ends after these minutes or these rounds, whichever comes first; after one round if neither is given. */
  readonly minutes?: number;
  readonly rounds?: number;
  /** Of an attack that has rows: only those with this text in their name. */
  readonly only?: string;
  readonly log?: (line: string) => void;
  /** Where it keeps score, for a caller that looks at it before the end. */
  readonly board?: Scoreboard;
  /** Ends it after the round that is running. */
  readonly signal?: AbortSignal;
}

/** What each file of this folder exports as `run`. */
export type Attack = (options: AttackOptions) => Promise<Scoreboard>;

/** One run of an attack. */
export interface Course {
  readonly seed: number;
  readonly random: Random;
  readonly board: Scoreboard;
  readonly log: (line: string) => void;
  /** The numbers of the rounds, from 0, for as long as there is another one. */
  rounds(): Generator<number>;
  /** What a round chooses by: the same whatever the rounds before it took. */
  randomOf(...path: readonly number[]): Random;
  /** Whether the time is up. */
  isOver(): boolean;
}

export function begin({ seed, minutes, rounds, log, board, signal }: AttackOptions): Course {
  const endsAtMs = minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + minutes * 60_000;
  const lastRound = rounds ?? (minutes === undefined ? 1 : Number.POSITIVE_INFINITY);
  const isOver = (): boolean => signal?.aborted === true || performance.now() >= endsAtMs;
  return {
    seed,
    random: new Random(seed),
    board: board ?? new Scoreboard(),
    log: log ?? (() => {}),
    *rounds() {
      for (let round = 0; round < lastRound && !isOver(); round++) yield round;
    },
    randomOf: (...path) => Random.of(seed, ...path),
    isOver,
  };
}
