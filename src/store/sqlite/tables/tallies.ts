import type { Database } from "bun:sqlite";
import type { TallyStore } from "../../ports/store.ts";
import { keyTallyOf, TALLIES, tallyOf, tallyValues } from "../../sql/rows.ts";
import { orReplace, type Row, selectFrom } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import type { Writer, Writes } from "./writer.ts";

export function sqliteTallies(connection: Connection, writes: Writes): TallyStore {
  const all = prepared<Row, []>(connection, selectFrom(TALLIES));
  const get = prepared<Row, [string]>(connection, `${selectFrom(TALLIES)} WHERE key_id = ?`);
  const some = prepared<Row, [string, number]>(
    connection,
    `${selectFrom(TALLIES)} WHERE key_id > ? ORDER BY key_id LIMIT ?`,
  );

  return {
    load: () => attempt(() => all().all()).map(keyTallyOf),
    loadSome: ({ afterId, size }) => attempt(() => some().all(afterId, size)).map(keyTallyOf),
    get(keyId) {
      const row = attempt(() => get().get(keyId));
      return row ? tallyOf(row) : undefined;
    },
    save: (tallies) => writes.perform("saveTallies", tallies),
  };
}

export function tallyWrites(db: Database): Pick<Writer, "saveTallies"> {
  const { name, columns } = TALLIES;
  const save = prepared(
    db,
    `INSERT INTO ${name} (${columns}) SELECT ${columns.map((_, i) => `?${i + 1}`)}
    WHERE EXISTS (SELECT 1 FROM keys WHERE id = ?1) ${orReplace(TALLIES)}`,
  );
  return {
    saveTallies(tallies) {
      for (const tally of tallies) save().run(...tallyValues(tally));
    },
  };
}
