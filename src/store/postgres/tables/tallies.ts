import type { TallyStore } from "../../ports/store.ts";
import { keyTallyOf, TALLIES, tallyOf, tallyRow } from "../../sql/rows.ts";
import { orReplace, type Row, selectFrom } from "../../sql/table.ts";
import { rowsParameter } from "../connections/dialect.ts";
import type { Pool } from "../database.ts";

const LOAD = selectFrom(TALLIES);
const LOAD_SOME = `${LOAD} WHERE key_id > $1 ORDER BY key_id LIMIT $2`;
const GET = `${LOAD} WHERE key_id = $1`;

/** Locks the keys, so that the tally of a key that is being deleted is left out. */
const SAVE = `INSERT INTO tallies (${TALLIES.columns}) SELECT ${TALLIES.columns.map((column) => `t.${column}`)}
  FROM json_populate_recordset(NULL::tallies, $1::text::json) t JOIN keys k ON k.id = t.key_id
  FOR KEY SHARE OF k ${orReplace(TALLIES)}`;

export const postgresTallies = (pool: Pool): TallyStore => ({
  async load() {
    return (await pool.read<Row>(LOAD)).map(keyTallyOf);
  },
  async loadSome({ afterId, size }) {
    return (await pool.read<Row>(LOAD_SOME, [afterId, size])).map(keyTallyOf);
  },
  async get(keyId) {
    const [row] = await pool.read<Row>(GET, [keyId]);
    return row && tallyOf(row);
  },
  async save(tallies) {
    await pool.write(SAVE, [rowsParameter(tallies.map(tallyRow))]);
  },
});
