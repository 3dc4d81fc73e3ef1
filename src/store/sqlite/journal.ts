import { cutPage } from "../../domain/page.ts";
import { journalEntryOf, journalPages, journalPageValues } from "../journal-rows.ts";
import type { JournalStore } from "../store.ts";
import type { Row } from "../table.ts";
import { attempt } from "./attempt.ts";
import { SQLITE } from "./dialect.ts";
import { type Connection, preparedSet } from "./statements.ts";

export function sqliteJournal(connection: Connection): JournalStore {
  const pages = preparedSet<keyof ReturnType<typeof journalPages>, Row>(connection, journalPages(SQLITE.placeholder));
  return {
    list(query) {
      const page = query.keyId === undefined ? pages.ofAll : pages.ofKey;
      const rows = attempt(() => page().all(...journalPageValues(query)));
      return cutPage(rows.map(journalEntryOf), query.size);
    },
  };
}
