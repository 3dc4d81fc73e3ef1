import { cutPage } from "../../domain/page.ts";
import { journalEntryOf, journalPage, journalPages } from "../journal-rows.ts";
import type { JournalStore } from "../store.ts";
import type { Row } from "../table.ts";
import { attempt } from "./attempt.ts";
import { SQLITE } from "./dialect.ts";
import { type Connection, preparedSet } from "./statements.ts";

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
