import type { Awaitable } from "../domain/awaitable.ts";
import type { RatePolicy, Tally, Verdict } from "../domain/tally.ts";

/** Judges the requests of a subject by its policy, and counts those that pass. */
export interface Meter {
  judge(subject: string, policy: RatePolicy): Awaitable<Verdict>;
}

/** Where tallies outlive the process. */
export interface TallyKeeper {
  load(): Awaitable<Entries>;
  save(tallies: Entries): Awaitable<void>;
}

type Entries = readonly (readonly [subject: string, tally: Tally])[];
