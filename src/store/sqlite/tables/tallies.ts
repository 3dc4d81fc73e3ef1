import type { TallyStore } from "../../ports/store.ts";
import { keyTallyOf, TALLIES, tallyOf, tallyValues } from "../../sql/rows.ts";
import { orReplace, type Row, selectFrom } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import { BOOKKEEPING, declareWrites, forward, type Writes } from "./write.ts";

export function sqliteTallies(connection: Connection, writes: Writes): TallyStore {
  const all = prepared<Row, []>(connection, selectFrom(TALLIES));
  const get = prepared<Row, [string]>(connection, `${selectFrom(TALLIES)} WHERE key_id = ?`);
  const some = prepared<Row, [string, number]>(
    connection,
    `${selectFrom(TALLIES)} WHERE key_id > ? ORDER BY key_id LIMIT ?`,
  );

  return {
    ...forward(writes, tallyWrites),
    load: () => attempt(() => all().all()).map(keyTallyOf),
    loadSome: ({ afterId, size }) => attempt(() => some().all(afterId, size)).map(keyTallyOf),
    get(keyId) {
      const row = attempt(() => get().get(keyId));
      return row ? tallyOf(row) : undefined;
    },
  };
}

export const tallyWrites = declareWrites("tallies", { save: BOOKKEEPING }, (db) => {
  const { name, columns } = TALLIES;
  const replace = prepared(
    db,
    `INSERT INTO ${name} (${columns}) SELECT ${columns.map((_, i) => `?${i + 1}`)}
    WHERE EXISTS (SELECT 1 FROM keys WHERE id = ?1) ${orReplace(TALLIES)}`,
  );
  return {
    save(tallies) {
      for (const tally of tallies) replace().run(...tallyValues(tally));
    },
  };
});
