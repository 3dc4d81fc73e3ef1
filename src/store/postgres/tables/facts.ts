import type { CountingPlace, FactStore } from "../../ports/store.ts";
import { COUNTING_PLACE, selectFact, upsertFact } from "../../sql/rows.ts";
import { POSTGRES } from "../connections/dialect.ts";
import type { Pool } from "../database.ts";

const GET = selectFact("$1");
const NOTE = upsertFact(POSTGRES.placeholder);

export const postgresFacts = (pool: Pool): FactStore => ({
  async countingPlace() {
    const [row] = await pool.read<{ value: CountingPlace }>(GET, [COUNTING_PLACE]);
    return row?.value;
  },
  noteCountingPlace: async (place) => void (await pool.write(NOTE, [COUNTING_PLACE, place])),
});
