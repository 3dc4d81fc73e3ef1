import { COUNTING_PLACE, selectFact, upsertFact } from "../rows.ts";
import type { CountingPlace, FactStore } from "../store.ts";
import type { Pool } from "./database.ts";
import { POSTGRES } from "./dialect.ts";

const GET = selectFact("$1");
const NOTE = upsertFact(POSTGRES.placeholder);

export const postgresFacts = (pool: Pool): FactStore => ({
  async countingPlace() {
    const [row] = await pool.read<{ value: CountingPlace }>(GET, [COUNTING_PLACE]);
    return row?.value;
  },
  noteCountingPlace: async (place) => void (await pool.write(NOTE, [COUNTING_PLACE, place])),
});
