import { isSpent } from "../domain/limits/tally.ts";
import type { TallyKeeper } from "./meter.ts";
import type { TallyTable } from "./tally-table.ts";

/** Saves the tallies of all threads. */
export class TallySaver {
  #last: Promise<void> = Promise.resolve();
  /** The next save, which has not begun. */
  #next: Promise<void> | undefined;

  constructor(
    private readonly table: TallyTable,
    private readonly keeper: TallyKeeper,
    /** Called when a save fails; the next save includes its tallies. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Loads the saved tallies, except for those that have expired since. */
  async load(nowMs: number): Promise<void> {
    for (const [subject, tally] of await this.keeper.load())
      if (!isSpent(tally, nowMs)) this.table.load(subject, tally);
  }

  /**
   * Saves all changes before this call, and resolves when that is done. A failure is reported, never thrown. Saves run
   * one after the other, or an older tally could be written over a newer one.
   */
  save(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return this.#saveNow();
    });
    this.#last = this.#next;
    return this.#last;
  }

  async #saveNow(): Promise<void> {
    const unsaved = this.table.takeUnsaved();
    if (unsaved.length === 0) return;
    try {
      await this.keeper.save(unsaved.map(({ subject, tally }) => [subject, tally]));
    } catch (error) {
      this.table.putBack(unsaved);
      this.onFailure(error);
    }
  }
}
