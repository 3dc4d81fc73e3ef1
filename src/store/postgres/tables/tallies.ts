import type { TallyStore } from "../../ports/store.ts";
import { TALLIES, tallyRow } from "../../sql/rows.ts";
import { orReplace } from "../../sql/table.ts";
import { tallyReads } from "../../sql/tables/tallies.ts";
import { POSTGRES, rowsParameter } from "../connections/dialect.ts";
import { reading } from "../connections/work.ts";
import type { Pool } from "../database.ts";

/** Locks the keys, so that the tally of a key that is being deleted is left out. */
const SAVE = `INSERT INTO tallies (${TALLIES.columns}) SELECT ${TALLIES.columns.map((column) => `t.${column}`)}
  FROM json_populate_recordset(NULL::tallies, $1::text::json) t JOIN keys k ON k.id = t.key_id
  FOR KEY SHARE OF k ${orReplace(TALLIES)}`;

/** Tallies of one statement: far fewer than a busy server writes within the time limit of a statement. */
const BATCH_SIZE = 1_000;

export const postgresTallies = (pool: Pool): TallyStore => ({
  ...reading(pool, tallyReads(POSTGRES)),
  async save(tallies) {
    for (let start = 0; start < tallies.length; start += BATCH_SIZE)
      await pool.write(SAVE, [rowsParameter(tallies.slice(start, start + BATCH_SIZE).map(tallyRow))]);
  },
});
