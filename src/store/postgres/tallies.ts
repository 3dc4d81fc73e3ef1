import { type Row, TALLY_COLUMNS, tallyOf, tallyValues } from "../rows.ts";
import type { TallyStore } from "../store.ts";
import type { Pool } from "./database.ts";

const COLUMNS = TALLY_COLUMNS.join(", ");
const CHANGES = TALLY_COLUMNS.slice(1)
  .map((column) => `${column} = excluded.${column}`)
  .join(", ");
const SAVE = `INSERT INTO tallies (${COLUMNS}) VALUES (${TALLY_COLUMNS.map((_, i) => `$${i + 1}`).join(", ")})
  ON CONFLICT (key_id) DO UPDATE SET ${CHANGES}`;

export function postgresTallies(pool: Pool): TallyStore {
  const columns = pool.sql.unsafe(COLUMNS);
  return {
    async load() {
      const rows = await pool.read((sql) => sql<Row[]>`SELECT ${columns} FROM tallies`);
      return rows.map((row) => [row.key_id as string, tallyOf(row)]);
    },
    async get(keyId) {
      const [row] = await pool.read((sql) => sql<Row[]>`SELECT ${columns} FROM tallies WHERE key_id = ${keyId}`);
      return row && tallyOf(row);
    },
    save: (tallies) =>
      pool.transact(async (tx) => {
        for (const [keyId, tally] of tallies) await tx.unsafe(SAVE, [keyId, ...tallyValues(tally)], { prepare: true });
      }),
  };
}
