import type { Database } from "bun:sqlite";
import { TALLIES, tallyValues } from "../../rows.ts";
import { orReplace } from "../../table.ts";
import { prepared } from "../statements.ts";
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
