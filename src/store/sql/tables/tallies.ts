import type { Tally } from "../../../domain/limits/tally.ts";
import type { IdPage, KeyTally } from "../../ports/store.ts";
import { keyTallyOf, TALLIES, tallyOf } from "../rows.ts";
import type { Dialect } from "../searches.ts";
import { selectFrom } from "../table.ts";
import { first, run, type Work } from "../work.ts";

export const tallyReads = ({ placeholder: $ }: Dialect) => ({
  *load(): Work<readonly KeyTally[]> {
    return (yield* run(selectFrom(TALLIES))).map(keyTallyOf);
  },
  *loadSome({ afterId, size }: IdPage): Work<readonly KeyTally[]> {
    const select = `${selectFrom(TALLIES)} WHERE key_id > ${$(1)} ORDER BY key_id LIMIT ${$(2)}`;
    return (yield* run(select, [afterId, size])).map(keyTallyOf);
  },
  *get(keyId: string): Work<Tally | undefined> {
    const row = yield* first(`${selectFrom(TALLIES)} WHERE key_id = ${$(1)}`, [keyId]);
    return row && tallyOf(row);
  },
});
