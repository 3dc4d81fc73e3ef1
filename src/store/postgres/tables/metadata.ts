import type { CountingPlace, MetadataStore } from "../../ports/store.ts";
import { COUNTING_PLACE, selectMetadata, upsertMetadata } from "../../sql/rows.ts";
import { POSTGRES } from "../connections/dialect.ts";
import type { Pool } from "../database.ts";

const GET = selectMetadata("$1");
const NOTE = upsertMetadata(POSTGRES.placeholder);

export const postgresMetadata = (pool: Pool): MetadataStore => ({
  async countingPlace() {
    const [row] = await pool.read<{ value: CountingPlace }>(GET, [COUNTING_PLACE]);
    return row?.value;
  },
  noteCountingPlace: async (place) => void (await pool.write(NOTE, [COUNTING_PLACE, place])),
});
