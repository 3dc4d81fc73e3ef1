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
import type { Connection } from "../connections/connection.ts";
import { POSTGRES } from "../connections/dialect.ts";
import type { Pool } from "../database.ts";

const INSERT = insertInto(JOURNAL, NEW_JOURNAL_ENTRY, POSTGRES.placeholder);
const PAGES = journalPages(POSTGRES.placeholder);

/** Call it within the transaction of the change. An undefined entry means that nothing has changed. */
export async function appendJournal(tx: Connection, entry: NewJournalEntry | undefined): Promise<void> {
  if (entry) await tx.run(INSERT, journalValues(entry));
}

export const postgresJournal = (pool: Pool): JournalStore => ({
  async list(query) {
    const { name, parameters } = journalPage(query);
    const rows = await pool.read<Row>(PAGES[name], parameters);
    return cutPage(rows.map(journalEntryOf), query.size);
  },
});
