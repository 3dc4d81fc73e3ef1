import { fold } from "../../../domain/stock/fold.ts";
import { FOLD_BATCH_SIZE, type UnfoldedAnimal } from "../../schema/folding.ts";
import type { SqlValue } from "../../sql/table.ts";
import { POSTGRES } from "../connections/dialect.ts";

/** Ordered by all columns of its index, which is usually empty: by id alone, the primary key might be used. */
export const SELECT_UNFOLDED = `SELECT id, name FROM animals WHERE folded_name IS NULL
  ORDER BY folded_name, id LIMIT ${FOLD_BATCH_SIZE}`;

/**
 * Waits for nobody: an animal that is locked is left for the next time. Whoever changes a name folds it, too, so one
 * that has a folded name by now keeps it. Joined with the names, some thousand of them would take seconds.
 */
export const FOLD_NAMES = `WITH unfolded AS (
    SELECT id FROM animals WHERE ${POSTGRES.idIsOneOf("$1")} AND folded_name IS NULL FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE animals SET folded_name = (SELECT $2::text::jsonb) ->> id::text
  WHERE id = ANY (ARRAY (SELECT id FROM unfolded)) RETURNING id`;

export const foldNamesParameters = (animals: readonly UnfoldedAnimal[]): SqlValue[] => [
  POSTGRES.idList(animals.map(({ id }) => id)),
  JSON.stringify(Object.fromEntries(animals.map(({ id, name }) => [String(id), fold(name)]))),
];
