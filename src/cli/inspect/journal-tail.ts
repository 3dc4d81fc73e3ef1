import type { JournalEntry } from "../../domain/journal.ts";
import type { JournalQuery, JournalStore } from "../../store/ports/store.ts";

/**
 * On PostgreSQL, entries that are made at the same moment may appear in another order than that of their ids: so many
 * ids before the latest one are read again.
 */
const LOOK_BACK = 1_000n;

/** Finds the entries that were added since the last look, each once. */
export function newEntries(journal: JournalStore, query: JournalQuery) {
  let shown = new Set<bigint>();
  let latest: bigint | undefined;
  const note = (entries: readonly JournalEntry[]): void => {
    for (const { id } of entries) {
      shown.add(id);
      if (latest === undefined || id > latest) latest = id;
    }
    const oldest = (latest ?? 0n) - LOOK_BACK;
    if (shown.size > 2 * Number(LOOK_BACK)) shown = new Set([...shown].filter((id) => id > oldest));
  };
  /** The id after which a look begins. Older entries than the first that was shown are not new. */
  let first: bigint | undefined;
  const startOf = (): bigint | undefined => {
    if (latest === undefined) return undefined;
    const back = latest - LOOK_BACK;
    return first !== undefined && first > back ? first : back;
  };
  return {
    note(entries: readonly JournalEntry[]): void {
      first ??= entries[0]?.id;
      note(entries);
    },
    async read(): Promise<readonly JournalEntry[]> {
      const found: JournalEntry[] = [];
      for (let afterId = startOf(); ; ) {
        const { rows, more } = await journal.list({ ...query, afterId });
        found.push(...rows.filter(({ id }) => !shown.has(id)));
        if (!more) break;
        afterId = rows.at(-1)?.id;
      }
      note(found);
      return found;
    },
  };
}
