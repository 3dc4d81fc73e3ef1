import type { Database } from "bun:sqlite";
import { fold } from "../../../domain/stock/fold.ts";
import { FOLD_BATCH_SIZE, type UnfoldedAnimal } from "../../schema/folding.ts";
import { prepared } from "../sql/statements.ts";
import type { Writer } from "./writer.ts";

/** The index is named, since it is empty as a rule: SQLite does not know that, and might read the table. */
const selectUnfolded = (limit: number): string =>
  `SELECT id, name FROM animals INDEXED BY animals_to_fold WHERE folded_name IS NULL LIMIT ${limit}`;

export const SELECT_ONE_UNFOLDED = selectUnfolded(1);
export const SELECT_UNFOLDED = selectUnfolded(FOLD_BATCH_SIZE);

/** Within a transaction. */
export function foldNamesIn(db: Database): (animals: readonly UnfoldedAnimal[]) => void {
  const update = prepared(db, "UPDATE animals SET folded_name = ? WHERE id = ?");
  return (animals) => {
    for (const { id, name } of animals) update().run(fold(name), id);
  };
}

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
