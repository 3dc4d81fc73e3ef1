import type { Database } from "bun:sqlite";
import { keyTallyOf, type Row, selectFrom, TALLIES, tallyOf } from "../rows.ts";
import type { TallyStore } from "../store.ts";
import { attempt } from "./attempt.ts";
import { prepared } from "./statements.ts";
import type { Writes } from "./writer.ts";

export function sqliteTallies(db: Database, writes: Writes): TallyStore {
  const all = prepared<Row, []>(db, selectFrom(TALLIES));
  const get = prepared<Row, [string]>(db, `${selectFrom(TALLIES)} WHERE key_id = ?`);

  return {
    load: () => attempt(() => all().all()).map(keyTallyOf),
    get(keyId) {
      const row = attempt(() => get().get(keyId));
      return row ? tallyOf(row) : undefined;
    },
    save: (tallies) => writes.perform("saveTallies", tallies),
  };
}
