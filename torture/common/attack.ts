import { Random } from "./random.ts";
import { Scoreboard } from "./scoreboard.ts";

/** The options of an attack: run.ts runs it for minutes, a test for a few rounds. */
export interface AttackOptions {
  /** Reproduces the attack's choices, but not the timing of processes. */
  readonly seed: number;
  /** The attack ends after these minutes or rounds, whichever comes first; by default, after one round. */
  readonly minutes?: number;
  readonly rounds?: number;
  /** Runs only the rows with this text in their name, if the attack has rows. */
  readonly only?: string;
  readonly log?: (line: string) => void;
  /** The scoreboard to use, for a caller that reads it before the end. */
  readonly board?: Scoreboard;
  /** Ends the attack after the current round. */
  readonly signal?: AbortSignal;
}

/** Each attack's file exports one of these as `run`. */
export type Attack = (options: AttackOptions) => Promise<Scoreboard>;

/** One run of an attack. */
export interface Course {
  readonly seed: number;
  readonly random: Random;
  readonly board: Scoreboard;
  readonly log: (line: string) => void;
  /** Yields the numbers of the rounds, from 0. */
  rounds(): Generator<number>;
  /** Random numbers of a round, independent of how many earlier rounds have used. */
  randomOf(...path: readonly number[]): Random;
  /** True when the time is up. */
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
