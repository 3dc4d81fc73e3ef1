import { type Row, TALLY_COLUMNS, tallyOf, tallyValues } from "../rows.ts";
import type { KeyTally, TallyStore } from "../store.ts";
import type { Pool } from "./database.ts";

const COLUMNS = TALLY_COLUMNS.join(", ");
const CHANGES = TALLY_COLUMNS.slice(1)
  .map((column) => `${column} = excluded.${column}`)
  .join(", ");
/** PostgreSQL takes 65,535 parameters in one statement. */
const ROWS_PER_STATEMENT = 1_000;

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
        for (let from = 0; from < tallies.length; from += ROWS_PER_STATEMENT) {
          const rows = tallies.slice(from, from + ROWS_PER_STATEMENT).map(rowOf);
          await tx`INSERT INTO tallies ${tx(rows, ...TALLY_COLUMNS)} ON CONFLICT (key_id) DO UPDATE SET ${tx.unsafe(CHANGES)}`;
        }
      }),
  };
}

const rowOf = ([keyId, tally]: KeyTally): Record<string, string | number> => {
  const values = [keyId, ...tallyValues(tally)];
  return Object.fromEntries(TALLY_COLUMNS.map((column, i) => [column, values[i] as string | number]));
};
