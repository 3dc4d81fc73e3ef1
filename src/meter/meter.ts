import type { Awaitable } from "../base/time/awaitable.ts";
import type { Clock } from "../base/time/clock.ts";
import type { RatePolicy, Tally, Verdict } from "../domain/limits/tally.ts";

/** Judges the requests of a subject by its policy, and counts those that pass. */
export interface Meter {
  judge(subject: string, policy: RatePolicy): Awaitable<Verdict>;
  /** Returns whether the subject is known to be refused now. It asks no server, and counts nothing. */
  isRefused(subject: string, policy: RatePolicy): boolean;
  /** Returns a copy of the subject's current tally, and counts nothing. */
  tally(subject: string): Awaitable<Tally>;
}

/** Keeps tallies beyond the life of the process. */
export interface TallyKeeper {
  load(): Awaitable<Entries>;
  save(tallies: Entries): Awaitable<void>;
}

/** The thread that has the keeper, as the other threads see it. */
export interface SavingThread {
  /** Saves all changes before this call, of all threads; resolves when they are on disk. */
  saveElsewhere(): Promise<void>;
}

type Entries = readonly (readonly [subject: string, tally: Tally])[];

/** A change of one of the servers that instances count on together. */
export type ServerChange =
  /** This instance counts by itself for the subjects of that server. */
  | {
      readonly state: "away";
      readonly server: string;
      /** The end of a sentence that begins with the server's name. */
      readonly reason: string;
      readonly remedy: string;
      readonly error: unknown;
      /** True: other servers count for other subjects. */
      readonly isOneOfMany: boolean;
    }
  /** It counts again; or another one counts for its subjects now, while it is still away. */
  | { readonly state: "back" | "replaced"; readonly server: string }
  /** It is one of the servers that count, or is no longer. */
  | { readonly state: "known" | "gone"; readonly server: string };

/** The part of the settings that a meter in Redis needs. */
export interface RedisSettings {
  readonly clock: Clock;
  /** The clock that requests are judged by. Undefined: Redis's own, which is the same for all instances. */
  readonly scriptClock?: Clock | undefined;
  /** The time to wait for Redis before going on without it. */
  readonly connectTimeoutMs?: number | undefined;
  /** The least time to wait for Redis's answer to one request; by default 150 ms. */
  readonly answerTimeoutMs?: number | undefined;
  /** Called when a server of Redis stops counting, so that this instance counts by itself, and when it is back. */
  readonly onServerChange: (change: ServerChange) => void;
  /** Called for each answer of Redis, with the time that it took. Undefined: nothing is timed. */
  readonly onAnswer?: ((outcome: AnswerOutcome, seconds: number) => void) | undefined;
}

/** The outcome of a call: the server answered, took too long, or failed. */
export type AnswerOutcome = "answered" | "given_up" | "failed";
