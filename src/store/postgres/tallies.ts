import { keyTallyOf, orReplace, type Row, type SqlValue, selectFrom, TALLIES, tallyOf, tallyValues } from "../rows.ts";
import type { KeyTally, TallyStore } from "../store.ts";
import type { Pool } from "./database.ts";
import { run } from "./dialect.ts";

/** PostgreSQL takes at most 65,535 parameters in one statement. */
const ROWS_PER_STATEMENT = 1_000;

export function postgresTallies(pool: Pool): TallyStore {
  const replace = pool.sql.unsafe(orReplace(TALLIES));
  return {
    async load() {
      const rows = await pool.read((sql) => run<Row>(sql, selectFrom(TALLIES), []));
      return rows.map(keyTallyOf);
    },
    async get(keyId) {
      const [row] = await pool.read((sql) => run<Row>(sql, `${selectFrom(TALLIES)} WHERE key_id = $1`, [keyId]));
      return row && tallyOf(row);
    },
    save: (tallies) =>
      pool.transact(async (tx) => {
        for (let from = 0; from < tallies.length; from += ROWS_PER_STATEMENT) {
          const rows = tallies.slice(from, from + ROWS_PER_STATEMENT).map(rowOf);
          await tx`INSERT INTO tallies ${tx(rows, ...TALLIES.columns)} ${replace}`;
        }
      }),
  };
}

function rowOf(tally: KeyTally): Record<string, SqlValue> {
  const values = tallyValues(tally);
  return Object.fromEntries(TALLIES.columns.map((column, i) => [column, values[i] as SqlValue]));
}
