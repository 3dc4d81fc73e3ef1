import type { Database } from "bun:sqlite";
import type { NewJournalEntry } from "../../../domain/journal.ts";
import { cutPage } from "../../../domain/page.ts";
import type { JournalStore } from "../../ports/store.ts";
import {
  JOURNAL,
  journalEntryOf,
  journalPage,
  journalPages,
  journalValues,
  NEW_JOURNAL_ENTRY,
} from "../../sql/journal-rows.ts";
import { insertInto, type Row } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared, preparedSet } from "../sql/statements.ts";

export function sqliteJournal(connection: Connection): JournalStore {
  const pages = preparedSet<keyof ReturnType<typeof journalPages>, Row>(connection, journalPages(SQLITE.placeholder));
  return {
    list(query) {
      const { name, parameters } = journalPage(query);
      const rows = attempt(() => pages[name]().all(...parameters));
      return cutPage(rows.map(journalEntryOf), query.size);
    },
  };
}

/** To be called within the transaction of the change. Without an entry, nothing has changed. */
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
