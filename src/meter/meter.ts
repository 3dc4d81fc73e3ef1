import type { Tally, Terms, Verdict } from "../domain/tally.ts";

/** What is counted: judges a request of a subject by its terms, and counts it if it passes. */
export interface Meter {
  judge(subject: string, terms: Terms): Verdict | Promise<Verdict>;
}

/** Where tallies outlive the process. */
export interface TallyKeeper {
  load(): Entries | Promise<Entries>;
  save(tallies: Entries): void | Promise<void>;
}

type Entries = readonly (readonly [subject: string, tally: Tally])[];
