import type { Database } from "bun:sqlite";
import { type Row, TALLY_COLUMNS, tallyOf } from "../rows.ts";
import type { TallyStore } from "../store.ts";
import { attempt } from "./database.ts";
import { prepared } from "./statements.ts";
import type { Writing } from "./writing.ts";

const COLUMNS = TALLY_COLUMNS.join(", ");

export function sqliteTallies(db: Database, writing: Writing): TallyStore {
  const all = prepared<Row, []>(db, `SELECT ${COLUMNS} FROM tallies`);
  const get = prepared<Row, [string]>(db, `SELECT ${COLUMNS} FROM tallies WHERE key_id = ?`);

  return {
    load: () => attempt(() => all().all()).map((row) => [row.key_id as string, tallyOf(row)]),
    get(keyId) {
      const row = attempt(() => get().get(keyId));
      return row ? tallyOf(row) : undefined;
    },
    save: (tallies) => writing.perform("saveTallies", tallies),
  };
}
