import type { Database } from "bun:sqlite";
import { type Row, TALLY_COLUMNS, tallyOf, tallyValues } from "../rows.ts";
import type { KeyTally, TallyStore } from "../store.ts";
import { attempt, type Transact } from "./database.ts";

const COLUMNS = TALLY_COLUMNS.join(", ");

export function sqliteTallies(db: Database, transact: Transact): TallyStore {
  const all = db.prepare<Row, []>(`SELECT ${COLUMNS} FROM tallies`);
  const get = db.prepare<Row, [string]>(`SELECT ${COLUMNS} FROM tallies WHERE key_id = ?`);
  const put = db.prepare(`INSERT OR REPLACE INTO tallies (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const putAll = (tallies: readonly KeyTally[]): void => {
    for (const [keyId, tally] of tallies) put.run(keyId, ...tallyValues(tally));
  };

  return {
    load: () => attempt(() => all.all()).map((row) => [row.key_id as string, tallyOf(row)]),
    get(keyId) {
      const row = attempt(() => get.get(keyId));
      return row ? tallyOf(row) : undefined;
    },
    save: (tallies) => transact(() => putAll(tallies)),
  };
}
