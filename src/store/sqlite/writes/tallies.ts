import type { Database } from "bun:sqlite";
import { insertInto, orReplace, TALLIES, tallyValues } from "../../rows.ts";
import { prepared } from "../statements.ts";
import type { Writer } from "../writer.ts";

export function tallyWrites(db: Database): Pick<Writer, "saveTallies"> {
  const save = prepared(db, `${insertInto(TALLIES, TALLIES.columns, () => "?")} ${orReplace(TALLIES)}`);
  return {
    saveTallies(tallies) {
      for (const tally of tallies) save().run(...tallyValues(tally));
    },
  };
}
