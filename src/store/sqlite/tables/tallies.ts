import type { KeyTally } from "../../ports/store.ts";
import { TALLIES, tallyValues } from "../../sql/rows.ts";
import { orReplace } from "../../sql/table.ts";
import { tallyReads } from "../../sql/tables/tallies.ts";
import { run, type Work } from "../../sql/work.ts";
import { SQLITE } from "../sql/dialect.ts";
import { BOOKKEEPING, declareWrites, tableStore } from "./write.ts";

const SAVE = `INSERT INTO tallies (${TALLIES.columns}) SELECT ${TALLIES.columns.map((_, i) => `?${i + 1}`)}
  WHERE EXISTS (SELECT 1 FROM keys WHERE id = ?1) ${orReplace(TALLIES)}`;

export const tallyWrites = declareWrites("tallies", BOOKKEEPING, {
  *save(tallies: readonly KeyTally[]): Work<void> {
    for (const tally of tallies) yield* run(SAVE, tallyValues(tally));
  },
});

export const sqliteTallies = tableStore(tallyReads(SQLITE), tallyWrites);
