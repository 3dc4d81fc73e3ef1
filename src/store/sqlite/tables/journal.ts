import { cutPage } from "../../../domain/page.ts";
import type { JournalStore } from "../../ports/store.ts";
import { journalEntryOf, journalPage, journalPages } from "../../sql/journal-rows.ts";
import type { Row } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, preparedSet } from "../sql/statements.ts";

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
