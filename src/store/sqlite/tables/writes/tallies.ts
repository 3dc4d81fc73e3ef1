import type { Database } from "bun:sqlite";
import { TALLIES, tallyValues } from "../../../sql/rows.ts";
import { orReplace } from "../../../sql/table.ts";
import { prepared } from "../../sql/statements.ts";
import type { Writer } from "../writer.ts";

export function tallyWrites(db: Database): Pick<Writer, "saveTallies"> {
  const { name, columns } = TALLIES;
  const save = prepared(
    db,
    `INSERT INTO ${name} (${columns}) SELECT ${columns.map((_, i) => `?${i + 1}`)}
    WHERE EXISTS (SELECT 1 FROM keys WHERE id = ?1) ${orReplace(TALLIES)}`,
  );
  return {
    saveTallies(tallies) {
      for (const tally of tallies) save().run(...tallyValues(tally));
    },
  };
}
