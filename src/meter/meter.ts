import type { Awaitable } from "../base/time/awaitable.ts";
import type { RatePolicy, Tally, Verdict } from "../domain/limits/tally.ts";

/** Judges the requests of a subject by its policy, and counts those that pass. */
export interface Meter {
  judge(subject: string, policy: RatePolicy): Awaitable<Verdict>;
  /** What is counted for a subject now: a copy. Counts nothing. */
  tally(subject: string): Awaitable<Tally>;
}

/** Where tallies outlive the process. */
export interface TallyKeeper {
  load(): Awaitable<Entries>;
  save(tallies: Entries): Awaitable<void>;
}

/** The thread that has the keeper, for the others. */
export interface SavingThread {
  /** Has it save what has changed before this call, in whatever thread; resolves when that is on disk. */
  saveElsewhere(): Promise<void>;
}

type Entries = readonly (readonly [subject: string, tally: Tally])[];

/** What happened to one of the servers that instances count on together. */
export type ServerChange =
  /** This instance counts by itself for the subjects of that server. */
  | {
      readonly state: "away";
      readonly server: string;
      /** What is the matter with it, after its name, and what to do about it. */
      readonly reason: string;
      readonly remedy: string;
      readonly error: unknown;
      /** Other servers count for other subjects. */
      readonly isOneOfMany: boolean;
    }
  /** It counts again; or another one counts for its subjects now, while it is still away. */
  | { readonly state: "back" | "replaced"; readonly server: string }
  /** It is one of the servers that count, or is no longer. */
  | { readonly state: "known" | "gone"; readonly server: string };

/** How it went to ask one of them: it answered, it took too long, or there was an error. */
export type AnswerOutcome = "answered" | "given_up" | "failed";
