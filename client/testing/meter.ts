import type { Clock } from "../../src/base/time/clock.ts";
import {
  judge,
  momentFor,
  newTally,
  type RatePolicy,
  type Tally,
  type Verdict,
} from "../../src/domain/limits/tally.ts";
import type { Meter } from "../../src/meter/meter.ts";

/** Counts by the service's rule, in a plain map: a test has few subjects, and one thread. */
export class MapMeter implements Meter {
  readonly #tallies = new Map<string, Tally>();

  constructor(private readonly clock: Clock) {}

  judge(subject: string, policy: RatePolicy): Verdict {
    const tally = this.tally(subject);
    this.#tallies.set(subject, tally);
    return judge(tally, policy, momentFor(tally, this.clock.nowMs()));
  }

  isRefused(): boolean {
    return false;
  }

  tally(subject: string): Tally {
    return this.#tallies.get(subject) ?? newTally();
  }
}
