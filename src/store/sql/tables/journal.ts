import { INT64_MAX } from "../../../base/json/int64.ts";
import type { JournalEntry, NewJournalEntry } from "../../../domain/journal.ts";
import { cutPage, type Page } from "../../../domain/page.ts";
import type { JournalQuery } from "../../ports/store.ts";
import { JOURNAL, journalEntryOf, journalValues, NEW_JOURNAL_ENTRY } from "../journal-rows.ts";
import type { Dialect } from "../searches.ts";
import { insertInto, type SqlValue, selectFrom } from "../table.ts";
import { run, type Work } from "../work.ts";

export const journalReads = ({ placeholder: $ }: Dialect) => ({
  /** One row beyond the page tells whether more follow. */
  *list({ keyId, sinceMs = 0, sort, afterId, size }: JournalQuery): Work<Page<JournalEntry>> {
    const [follows, direction, start] = sort === "-id" ? ["<", "DESC", INT64_MAX] : [">", "ASC", 0n];
    const parameters: SqlValue[] = [afterId ?? start, BigInt(sinceMs), BigInt(size + 1)];
    if (keyId !== undefined) parameters.push(keyId);
    const ofKey = keyId === undefined ? "" : `AND subject_kind = 'key' AND subject_id = ${$(4)}`;
    const rows = yield* run(
      `${selectFrom(JOURNAL)} WHERE id ${follows} ${$(1)} AND made_at >= ${$(2)} ${ofKey}
      ORDER BY id ${direction} LIMIT ${$(3)}`,
      parameters,
    );
    return cutPage(rows.map(journalEntryOf), size);
  },
});

/** Call it within the transaction of the change. An undefined entry means that nothing has changed. */
export const journalAppender = ({ placeholder }: Dialect) => {
  const insert = insertInto(JOURNAL, NEW_JOURNAL_ENTRY, placeholder);
  return function* append(entry: NewJournalEntry | undefined): Work<void> {
    if (entry) yield* run(insert, journalValues(entry));
  };
};
