import type { Awaitable } from "../domain/awaitable.ts";
import type { Clock } from "../domain/clock.ts";
import { copyOfTally, isSpent, judge, newTally, type RatePolicy, type Tally, type Verdict } from "../domain/tally.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { Meter, TallyKeeper } from "./meter.ts";

interface TallyRecord {
  readonly subject: string;
  readonly tally: Tally;
  isSaved: boolean;
}

/** Counts in this process, and saves what changed: whenever save() is called, and a new ban before it is returned. */
export class DurableMeter implements Meter {
  readonly #records = new Map<string, TallyRecord>();
  #unsaved: TallyRecord[] = [];

  private constructor(
    private readonly clock: Clock,
    private readonly keeper: TallyKeeper,
    /** Called when a save fails; the next one includes what it could not save. */
    private readonly onSaveFailure: (error: unknown) => void,
  ) {}

  static async open(clock: Clock, keeper: TallyKeeper, onSaveFailure: (error: unknown) => void): Promise<DurableMeter> {
    const meter = new DurableMeter(clock, keeper, onSaveFailure);
    const nowMs = clock.nowMs();
    for (const [subject, tally] of await keeper.load())
      if (!isSpent(tally, nowMs)) meter.#records.set(subject, { subject, tally, isSaved: true });
    return meter;
  }

  judge(subject: string, policy: RatePolicy): Awaitable<Verdict> {
    let record = this.#records.get(subject);
    if (!record) {
      record = { subject, tally: newTally(), isSaved: true };
      this.#records.set(subject, record);
    }
    const verdict = judge(record.tally, policy, this.clock.nowMs());
    this.#markUnsaved(record);
    if (verdict.kind === "banned" && verdict.isNew) return this.save().then(() => verdict);
    return verdict;
  }

  tally(subject: string): Tally {
    return copyOfTally(this.#records.get(subject)?.tally ?? newTally());
  }

  /** Saves what changed since the last save. A failure is reported, never thrown. */
  async save(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const records = this.#unsaved;
    this.#unsaved = [];
    for (const record of records) record.isSaved = true;
    try {
      await this.keeper.save(records.map(({ subject, tally }) => [subject, tally]));
    } catch (error) {
      for (const record of records) this.#markUnsaved(record);
      this.onSaveFailure(error);
    }
  }

  #markUnsaved(record: TallyRecord): void {
    if (!record.isSaved) return;
    record.isSaved = false;
    this.#unsaved.push(record);
  }
}

/** How many tallies are looked at in one sweep: 50 µs of work. */
const SWEPT_AT_ONCE = 1_000;

/**
 * Counts in this process and saves nothing. Its memory is bounded: when it is full, the subject whose window
 * opened first is forgotten, and may start again. Whoever wants that needs as many other subjects as it
 * holds, and all of those have quotas of their own, so nothing is gained by it.
 */
export class BoundedMeter implements Meter {
  readonly #tallies: BoundedMap<Tally>;

  constructor(
    private readonly clock: Clock,
    maxSubjects: number,
  ) {
    this.#tallies = new BoundedMap(maxSubjects);
  }

  get size(): number {
    return this.#tallies.size;
  }

  judge(subject: string, policy: RatePolicy): Verdict {
    const nowMs = this.clock.nowMs();
    let tally = this.#tallies.get(subject);
    if (!tally || isSpent(tally, nowMs)) {
      tally = newTally();
      this.#tallies.set(subject, tally);
    }
    return judge(tally, policy, nowMs);
  }

  tally(subject: string): Tally {
    return copyOfTally(this.#tallies.get(subject) ?? newTally());
  }

  /** Forgets some of what has expired. Called twice a second, it goes over everything within a minute. */
  sweep(): void {
    const nowMs = this.clock.nowMs();
    this.#tallies.sweep((tally) => isSpent(tally, nowMs), SWEPT_AT_ONCE);
  }
}
