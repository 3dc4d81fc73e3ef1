import type { Database } from "bun:sqlite";
import type { NewJournalEntry } from "../../../domain/journal.ts";
import type { JournalStore } from "../../ports/store.ts";
import { journalAppender, journalReads } from "../../sql/tables/journal.ts";
import { SQLITE } from "../sql/dialect.ts";
import type { Connection } from "../sql/statements.ts";
import { performer, reading } from "./work.ts";

export const sqliteJournal = (connection: Connection): JournalStore => reading(connection, journalReads(SQLITE));

/** To be called within the transaction of the change. Without an entry, nothing has changed. */
export function journalWrites(db: Database): { append(entry: NewJournalEntry | undefined): void } {
  const [perform, append] = [performer(db), journalAppender(SQLITE)];
  return { append: (entry) => perform(append(entry)) };
}
