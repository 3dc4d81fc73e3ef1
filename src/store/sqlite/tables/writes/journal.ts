import type { Database } from "bun:sqlite";
import type { NewJournalEntry } from "../../../../domain/journal.ts";
import { JOURNAL, journalValues, NEW_JOURNAL_ENTRY } from "../../../sql/journal-rows.ts";
import { insertInto } from "../../../sql/table.ts";
import { prepared } from "../../sql/statements.ts";

/** To be called within the transaction of the change that an entry is about: without one, nothing has changed. */
export function journalWrites(db: Database): { append(entry: NewJournalEntry | undefined): void } {
  const insert = prepared(
    db,
    insertInto(JOURNAL, NEW_JOURNAL_ENTRY, () => "?"),
  );
  return {
    append(entry) {
      if (entry) insert().run(...journalValues(entry));
    },
  };
}
