import type { Awaitable } from "../domain/awaitable.ts";
import type { Clock } from "../domain/clock.ts";
import { isSpent, judge, newTally, type Tally, type Terms, type Verdict } from "../domain/tally.ts";
import type { Meter, TallyKeeper } from "./meter.ts";

interface Kept {
  readonly subject: string;
  readonly tally: Tally;
  isSaved: boolean;
}

/** Counts keys in this process, and saves what changed: often, on a stop, and every ban at once. */
export class KeptMeter implements Meter {
  readonly #records = new Map<string, Kept>();
  #unsaved: Kept[] = [];

  private constructor(
    private readonly clock: Clock,
    private readonly keeper: TallyKeeper,
    /** Hears of a save that failed; what was not saved is tried again with the next. */
    private readonly onSaveFailure: (error: unknown) => void,
  ) {}

  static async open(clock: Clock, keeper: TallyKeeper, onSaveFailure: (error: unknown) => void): Promise<KeptMeter> {
    const meter = new KeptMeter(clock, keeper, onSaveFailure);
    const nowMs = clock.nowMs();
    for (const [subject, tally] of await keeper.load())
      if (!isSpent(tally, nowMs)) meter.#records.set(subject, { subject, tally, isSaved: true });
    return meter;
  }

  judge(subject: string, terms: Terms): Awaitable<Verdict> {
    let record = this.#records.get(subject);
    if (!record) {
      record = { subject, tally: newTally(), isSaved: true };
      this.#records.set(subject, record);
    }
    const verdict = judge(record.tally, terms, this.clock.nowMs());
    this.#noteUnsaved(record);
    if (verdict.kind === "banned" && verdict.isNew) return this.save().then(() => verdict);
    return verdict;
  }

  /** Saves what changed since the last time. A failure is reported, never thrown. */
  async save(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const records = this.#unsaved;
    this.#unsaved = [];
    for (const record of records) record.isSaved = true;
    try {
      await this.keeper.save(records.map(({ subject, tally }) => [subject, tally]));
    } catch (error) {
      for (const record of records) this.#noteUnsaved(record);
      this.onSaveFailure(error);
    }
  }

  #noteUnsaved(record: Kept): void {
    if (!record.isSaved) return;
    record.isSaved = false;
    this.#unsaved.push(record);
  }
}

/** Counts addresses: nothing is kept, and memory is bounded by forgetting whoever came first. */
export class BoundedMeter implements Meter {
  readonly #tallies = new Map<string, Tally>();

  constructor(
    private readonly clock: Clock,
    private readonly maxSubjects: number,
  ) {}

  get size(): number {
    return this.#tallies.size;
  }

  judge(subject: string, terms: Terms): Verdict {
    const nowMs = this.clock.nowMs();
    let tally = this.#tallies.get(subject);
    if (tally && isSpent(tally, nowMs)) {
      this.#tallies.delete(subject);
      tally = undefined;
    }
    if (!tally) {
      if (this.#tallies.size >= this.maxSubjects) this.#forgetOldest();
      tally = newTally();
      this.#tallies.set(subject, tally);
    }
    return judge(tally, terms, nowMs);
  }

  /** A Map keeps the order of insertion, so the first entry has the window that opened first. */
  #forgetOldest(): void {
    for (const subject of this.#tallies.keys()) {
      this.#tallies.delete(subject);
      return;
    }
  }
}
