import type { JournalStore } from "../../ports/store.ts";
import { journalReads } from "../../sql/tables/journal.ts";
import { SQLITE } from "../sql/dialect.ts";
import type { Connection } from "../sql/statements.ts";
import { reading } from "../sql/work.ts";

export const sqliteJournal = (connection: Connection): JournalStore => reading(connection, journalReads(SQLITE));
