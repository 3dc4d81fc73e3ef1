import { fold } from "../../../domain/stock/fold.ts";
import type { Maintenance } from "../../ports/store.ts";
import { FOLD_BATCH_SIZE, type UnfoldedAnimal } from "../../schema/folding.ts";
import { maintenanceWork } from "../../sql/tables/maintenance.ts";
import { run, type Work } from "../../sql/work.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import { BOOKKEEPING, CHANGE, declareWrites, forward, type Writes } from "./write.ts";

/** The index is named because it is empty as a rule: SQLite does not know that, and might read the table. */
export const selectUnfolded = (limit: number): string =>
  `SELECT id, name FROM animals INDEXED BY animals_to_fold WHERE folded_name IS NULL LIMIT ${limit}`;

export function* foldNames(animals: readonly UnfoldedAnimal[]): Work<void> {
  for (const { id, name } of animals) yield* run("UPDATE animals SET folded_name = ? WHERE id = ?", [fold(name), id]);
}

const sweeps = declareWrites("maintenance", BOOKKEEPING, maintenanceWork(SQLITE));

const folding = declareWrites("maintenance", CHANGE, {
  *foldNames(): Work<boolean> {
    const animals = yield* run<UnfoldedAnimal>(selectUnfolded(FOLD_BATCH_SIZE));
    yield* foldNames(animals);
    return animals.length === FOLD_BATCH_SIZE;
  },
});

export const maintenanceWrites = [sweeps, folding];

export function sqliteMaintenance(connection: Connection, writes: Writes): Maintenance {
  const unfolded = prepared(connection, selectUnfolded(1));
  return {
    ...forward(writes, sweeps),
    // Nothing is written while there is nothing to fold.
    foldNames: async () =>
      attempt(() => unfolded().get()) !== null && writes.perform("maintenance.foldNames", undefined),
  };
}
