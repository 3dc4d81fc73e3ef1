import type { Awaitable } from "../base/time/awaitable.ts";
import type { Clock } from "../base/time/clock.ts";
import {
  followTally,
  judge,
  momentFor,
  newTally,
  type RatePolicy,
  type Tally,
  type Verdict,
} from "../domain/limits/tally.ts";
import type { Meter } from "./meter.ts";
import type { TallyTable } from "./tally-table.ts";

/**
 * Counts in memory that all threads of this process share. It is bounded, so a subject may be evicted before its window
 * ends, and start again. To force that takes on average as many other subjects as there is room for, since it takes a
 * full bucket and nobody knows which subjects share one; and all of those have quotas of their own.
 */
export class MemoryMeter implements Meter {
  /** Scratch space, used within one call. */
  readonly #tally = newTally();

  constructor(
    private readonly clock: Clock,
    private readonly table: TallyTable,
    /** Awaited before a new ban is returned. Never rejects. */
    private readonly saveBan?: () => Promise<void>,
  ) {}

  judge(subject: string, policy: RatePolicy): Awaitable<Verdict> {
    const verdict = this.#judge(subject, policy);
    if (this.saveBan && verdict.kind === "banned" && verdict.isNew) return this.saveBan().then(() => verdict);
    return verdict;
  }

  isRefused(subject: string, policy: RatePolicy): boolean {
    const tally = this.tally(subject);
    return judge(tally, policy, momentFor(tally, this.clock.nowMs())).kind !== "pass";
  }

  tally(subject: string): Tally {
    return this.table.find(subject) ?? newTally();
  }

  /** Goes on from what this process and others have counted together. */
  follow(subject: string, shared: Tally): void {
    const slot = this.table.lock(subject);
    try {
      this.table.read(slot, this.#tally);
      followTally(this.#tally, shared);
      this.table.write(slot, this.#tally);
    } finally {
      this.table.unlock(slot);
    }
  }

  #judge(subject: string, policy: RatePolicy): Verdict {
    const slot = this.table.lock(subject);
    try {
      this.table.read(slot, this.#tally);
      // Read while the slot is locked, so that no other thread has judged by a later time.
      const verdict = judge(this.#tally, policy, momentFor(this.#tally, this.clock.nowMs()));
      this.table.write(slot, this.#tally);
      return verdict;
    } finally {
      this.table.unlock(slot);
    }
  }
}
