import type { Database } from "bun:sqlite";
import { FOLD_BATCH_SIZE, type UnfoldedAnimal } from "../../../schema/folding.ts";
import { prepared } from "../../sql/statements.ts";
import { foldNamesIn, SELECT_UNFOLDED } from "../folding.ts";
import type { Writer } from "../writer.ts";

export function foldingWrites(db: Database): Pick<Writer, "foldNames"> {
  const select = prepared<UnfoldedAnimal, []>(db, SELECT_UNFOLDED);
  const foldNames = foldNamesIn(db);
  return {
    foldNames() {
      const animals = select().all();
      foldNames(animals);
      return animals.length === FOLD_BATCH_SIZE;
    },
  };
}
