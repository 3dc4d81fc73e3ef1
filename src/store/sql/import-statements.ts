import { type IdRange, type ImportBatch, UNDO_BATCH_SIZE } from "../../domain/stock/import.ts";
import { IMPORT_RANGES, IMPORTS, NEW_IMPORT } from "./import-rows.ts";
import { ANIMALS } from "./rows.ts";
import type { Dialect } from "./searches.ts";
import { insertInto, type Row, type SqlValue, selectFrom } from "./table.ts";

/** No limit. */
export const ALL_IMPORTS = 2 ** 31 - 1;

/** The statements of imports, for both databases. */
export function importStatements({ placeholder: $, idIsOneOf, atMost }: Dialect) {
  return {
    list: `${selectFrom(IMPORTS)} ORDER BY id DESC ${atMost($(1))}`,
    get: `${selectFrom(IMPORTS)} WHERE id = ${$(1)}`,
    findByIdentity: `${selectFrom(IMPORTS)} WHERE identity = ${$(1)} ORDER BY id DESC`,
    insert: `${insertInto(IMPORTS, NEW_IMPORT, $)} RETURNING ${IMPORTS.columns.join(", ")}`,
    findAnimal: `SELECT 1 FROM ${ANIMALS.name} LIMIT 1`,
    /** For a file with ids, which earlier animals may have had: an undo of their import must not remove the new ones. */
    forgetRanges: `DELETE FROM ${IMPORT_RANGES.name}`,
    /** Finds no row if somebody else has continued the import: see advanceValues(). */
    advance: `UPDATE imports SET records_done = ${$(1)}, added = added + ${$(2)}, finished_at = ${$(3)}
      WHERE id = ${$(4)} AND records_done = ${$(5)} AND finished_at IS NULL AND undo_begun_at IS NULL RETURNING added`,
    addRange: insertInto(IMPORT_RANGES, IMPORT_RANGES.columns, $),
    beginUndo: `UPDATE imports SET undo_begun_at = ${$(1)} WHERE id = ${$(2)}`,
    /** The most ranges that a batch has, if each is a single id: so it always takes the same few statements. */
    firstRanges: `SELECT first_id, last_id FROM import_ranges WHERE import_id = ${$(1)} ORDER BY first_id LIMIT ${UNDO_BATCH_SIZE}`,
    removeRanges: `DELETE FROM import_ranges WHERE import_id = ${$(1)} AND first_id <= ${$(2)}`,
    removeAnimals: `DELETE FROM animals WHERE ${idIsOneOf($(1))}
      AND NOT EXISTS (SELECT 1 FROM orders WHERE orders.animal_id = animals.id) RETURNING id`,
    countAnimals: `SELECT count(*) AS count FROM animals WHERE ${idIsOneOf($(1))}`,
    noteUndo: `UPDATE imports SET removed = removed + ${$(1)}, kept = kept + ${$(2)} WHERE id = ${$(3)}`,
    finishUndo: `UPDATE imports SET undone_at = ${$(1)} WHERE id = ${$(2)}`,
  };
}

export type ImportStatements = ReturnType<typeof importStatements>;

export const advanceValues = (batch: ImportBatch): SqlValue[] => [
  BigInt(batch.recordsDone),
  BigInt(batch.animals.length),
  batch.isLast ? BigInt(batch.atMs) : null,
  batch.importId,
  BigInt(batch.recordsDoneBefore),
];

export const rangeOf = (row: Row): IdRange => ({ firstId: row.first_id as bigint, lastId: row.last_id as bigint });
