import type { Maintenance } from "../../ports/store.ts";
import { FOLD_BATCH_SIZE, type UnfoldedAnimal } from "../../schema/folding.ts";
import { maintenanceWork } from "../../sql/tables/maintenance.ts";
import { run, type Work } from "../../sql/work.ts";
import { foldNames, selectUnfolded } from "../schema/folding.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import { BOOKKEEPING, CHANGE, declareWrites, forward, type Writes } from "./write.ts";

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
