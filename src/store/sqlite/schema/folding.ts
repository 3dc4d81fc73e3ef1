import { fold } from "../../../domain/stock/fold.ts";
import type { UnfoldedAnimal } from "../../schema/folding.ts";
import { run, type Work } from "../../sql/work.ts";

/** The index is named because it is empty as a rule: SQLite does not know that, and might read the table. */
export const selectUnfolded = (limit: number): string =>
  `SELECT id, name FROM animals INDEXED BY animals_to_fold WHERE folded_name IS NULL LIMIT ${limit}`;

export function* foldNames(animals: readonly UnfoldedAnimal[]): Work<void> {
  for (const { id, name } of animals) yield* run("UPDATE animals SET folded_name = ? WHERE id = ?", [fold(name), id]);
}
