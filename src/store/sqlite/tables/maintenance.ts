import type { Database } from "bun:sqlite";
import { fold } from "../../../domain/stock/fold.ts";
import type { Maintenance } from "../../ports/store.ts";
import { FOLD_BATCH_SIZE, type UnfoldedAnimal } from "../../schema/folding.ts";
import { DELETE_BATCH_SIZE } from "../../sql/rows.ts";
import { attempt } from "../sql/attempt.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import { sessionUpkeep } from "./sessions.ts";
import { usageUpkeep } from "./usage.ts";
import { BOOKKEEPING, CHANGE, declareWrites, forward, type Writes } from "./write.ts";

/** The index is named because it is empty as a rule: SQLite does not know that, and might read the table. */
export const selectUnfolded = (limit: number): string =>
  `SELECT id, name FROM animals INDEXED BY animals_to_fold WHERE folded_name IS NULL LIMIT ${limit}`;

export function sqliteMaintenance(connection: Connection, writes: Writes): Maintenance {
  const unfolded = prepared(connection, selectUnfolded(1));
  return {
    ...forward(writes, upkeep),
    ...forward(writes, usageUpkeep),
    ...forward(writes, sessionUpkeep),
    // Nothing is written while there is nothing to fold.
    foldNames: async () =>
      attempt(() => unfolded().get()) !== null && writes.perform("maintenance.foldNames", undefined),
  };
}

/** To be called within a transaction. */
export function foldNamesIn(db: Database): (animals: readonly UnfoldedAnimal[]) => void {
  const update = prepared(db, "UPDATE animals SET folded_name = ? WHERE id = ?");
  return (animals) => {
    for (const { id, name } of animals) update().run(fold(name), id);
  };
}

const KINDS = { deleteSavedResponses: BOOKKEEPING, deleteResponsesOfKey: BOOKKEEPING, foldNames: CHANGE };

const upkeep = declareWrites("maintenance", KINDS, (db) => {
  const deleteOld = prepared(
    db,
    `DELETE FROM saved_responses WHERE (key_id, idempotency_key) IN
      (SELECT key_id, idempotency_key FROM saved_responses WHERE saved_at <= ? LIMIT ?)`,
  );
  const deleteOfKey = prepared(
    db,
    `DELETE FROM saved_responses WHERE key_id = ?1 AND idempotency_key IN
      (SELECT idempotency_key FROM saved_responses WHERE key_id = ?1 LIMIT ?2)`,
  );
  const select = prepared<UnfoldedAnimal, []>(db, selectUnfolded(FOLD_BATCH_SIZE));
  const fold = foldNamesIn(db);
  return {
    deleteSavedResponses: ({ savedAtMs }) =>
      Number(deleteOld().run(savedAtMs, DELETE_BATCH_SIZE).changes) === DELETE_BATCH_SIZE,
    deleteResponsesOfKey: ({ keyId }) =>
      Number(deleteOfKey().run(keyId, DELETE_BATCH_SIZE).changes) === DELETE_BATCH_SIZE,
    foldNames() {
      const animals = select().all();
      fold(animals);
      return animals.length === FOLD_BATCH_SIZE;
    },
  };
});

export const maintenanceWrites = [upkeep, usageUpkeep, sessionUpkeep];
