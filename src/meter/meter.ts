import type { Awaitable } from "../domain/awaitable.ts";
import type { Tally, Terms, Verdict } from "../domain/tally.ts";

/** What is counted: judges a request of a subject by its terms, and counts it if it passes. */
export interface Meter {
  judge(subject: string, terms: Terms): Awaitable<Verdict>;
}

/** Where tallies outlive the process. */
export interface TallyKeeper {
  load(): Awaitable<Entries>;
  save(tallies: Entries): Awaitable<void>;
}

type Entries = readonly (readonly [subject: string, tally: Tally])[];
