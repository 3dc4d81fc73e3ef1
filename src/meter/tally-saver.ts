import { isSpent } from "../domain/limits/tally.ts";
import type { TallyKeeper } from "./meter.ts";
import type { TallyTable } from "./tally-table.ts";

/** Loads the saved tallies, except for those that have expired since. */
export async function loadTallies(table: TallyTable, keeper: TallyKeeper, nowMs: number): Promise<void> {
  for (const [subject, tally] of await keeper.load()) if (!isSpent(tally, nowMs)) table.load(subject, tally);
}

/**
 * Returns a function that saves all changes of all threads before its call, and resolves when that is done. A failure
 * is reported, never thrown; the next save includes its tallies.
 */
export function tallySaver(table: TallyTable, keeper: TallyKeeper, onFailure: (error: unknown) => void) {
  let last = Promise.resolve();
  /** The next save, which has not begun. */
  let next: Promise<void> | undefined;

  async function saveNow(): Promise<void> {
    next = undefined;
    const unsaved = table.takeUnsaved();
    if (unsaved.length === 0) return;
    try {
      await keeper.save(unsaved.map(({ subject, tally }) => [subject, tally]));
    } catch (error) {
      table.putBack(unsaved);
      onFailure(error);
    }
  }

  return (): Promise<void> => {
    // Saves run one after the other, or an older tally could be written over a newer one.
    next ??= last.then(saveNow);
    last = next;
    return last;
  };
}
