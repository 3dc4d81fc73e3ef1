import { keyTallyOf, type Row, type SqlValue, selectFrom, TALLIES, tallyOf, tallyValues } from "../rows.ts";
import type { KeyTally, TallyStore } from "../store.ts";
import type { Pool } from "./database.ts";
import { rowsParameter, upsertRows } from "./dialect.ts";

const LOAD = selectFrom(TALLIES);
const GET = `${LOAD} WHERE key_id = $1`;
const SAVE = upsertRows(TALLIES);

export const postgresTallies = (pool: Pool): TallyStore => ({
  async load() {
    return (await pool.read<Row>(LOAD)).map(keyTallyOf);
  },
  async get(keyId) {
    const [row] = await pool.read<Row>(GET, [keyId]);
    return row && tallyOf(row);
  },
  async save(tallies) {
    await pool.write(SAVE, [rowsParameter(tallies.map(rowOf))]);
  },
});

function rowOf(tally: KeyTally): Record<string, SqlValue> {
  const values = tallyValues(tally);
  return Object.fromEntries(TALLIES.columns.map((column, i) => [column, values[i] as SqlValue]));
}
