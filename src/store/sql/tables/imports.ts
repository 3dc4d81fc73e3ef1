import { done, type Result, refused } from "../../../base/result.ts";
import { entryOfFinishedImport, entryOfImport, entryOfUndo } from "../../../domain/stock/changes.ts";
import {
  type BeginningRefusal,
  decideBeginning,
  decideUndo,
  firstIds,
  type Import,
  type ImportBatch,
  type ImportBeginning,
  type Overtaken,
  UNDO_BATCH_SIZE,
  type UndoRefusal,
  type UndoRequest,
} from "../../../domain/stock/import.ts";
import { IMPORT_RANGES, IMPORTS, importOf, NEW_IMPORT, newImportValues, rangeOf } from "../import-rows.ts";
import type { Dialect } from "../searches.ts";
import { insertInto, type Row, selectFrom } from "../table.ts";
import { first, run, type Work } from "../work.ts";
import { journalAppender } from "./journal.ts";

/** No limit. */
const ALL_IMPORTS = 2 ** 31 - 1;

export const importReads = ({ placeholder: $, atMost }: Dialect) => ({
  *list(size = ALL_IMPORTS): Work<readonly Import[]> {
    return (yield* run(`${selectFrom(IMPORTS)} ORDER BY id DESC ${atMost($(1))}`, [size])).map(importOf);
  },
  *get(id: bigint): Work<Import | undefined> {
    const row = yield* first(`${selectFrom(IMPORTS)} WHERE id = ${$(1)}`, [id]);
    return row && importOf(row);
  },
});

/** The parts of an import for which the databases have different means. */
export interface ImportParts {
  /** Keeps others from adding animals until the transaction ends. */
  readonly holdAdditions: () => Work<unknown>;
  /** Later ids are assigned above this one. */
  readonly setLastId: (lastId: bigint) => Work<unknown>;
}

export function importAdding(dialect: Dialect, { holdAdditions, setLastId }: ImportParts) {
  const $ = dialect.placeholder;
  const append = journalAppender(dialect);
  const findByIdentity = `${selectFrom(IMPORTS)} WHERE identity = ${$(1)} ORDER BY id DESC`;
  const insert = `${insertInto(IMPORTS, NEW_IMPORT, $)} RETURNING ${IMPORTS.columns.join(", ")}`;
  /** Finds no row if somebody else has continued the import. */
  const advance = `UPDATE imports SET records_done = ${$(1)}, added = added + ${$(2)}, finished_at = ${$(3)}
    WHERE id = ${$(4)} AND records_done = ${$(5)} AND finished_at IS NULL AND undo_begun_at IS NULL RETURNING added`;
  return {
    *begin(beginning: ImportBeginning): Work<Result<Import, BeginningRefusal>> {
      const earlier = (yield* run(findByIdentity, [beginning.identity])).map(importOf);
      const decision = decideBeginning(earlier, beginning);
      if (decision.kind === "already_imported") return refused(decision);
      if (decision.kind === "begin" && decision.lastId !== undefined) {
        yield* holdAdditions();
        if (yield* first("SELECT 1 FROM animals LIMIT 1")) return refused({ kind: "not_empty" });
        // Earlier animals may have had the ids of this file: an undo of their import must not remove the new ones.
        yield* run(`DELETE FROM ${IMPORT_RANGES.name}`);
        yield* setLastId(decision.lastId);
      }
      const begun =
        decision.kind === "continue"
          ? decision.earlier
          : importOf((yield* first(insert, newImportValues(beginning))) as Row);
      yield* append(entryOfImport(beginning, begun));
      return done(begun);
    },
    /** Records the progress of an import. Its animals are added in the same transaction. */
    *advance(batch: ImportBatch): Work<Result<void, Overtaken>> {
      const advanced = yield* first(advance, [
        BigInt(batch.recordsDone),
        BigInt(batch.animals.length),
        batch.isLast ? BigInt(batch.atMs) : null,
        batch.importId,
        BigInt(batch.recordsDoneBefore),
      ]);
      if (!advanced) return refused({ kind: "overtaken" });
      if (batch.isLast) yield* append(entryOfFinishedImport(batch, Number(advanced.added)));
      return done(undefined);
    },
  };
}

export function importUndoing(dialect: Dialect) {
  const { placeholder: $, idIsOneOf, idList, forUpdate } = dialect;
  const append = journalAppender(dialect);
  /** The most ranges that a batch has, if each is a single id: so it always takes the same few statements. */
  const firstRanges = `SELECT first_id, last_id FROM import_ranges WHERE import_id = ${$(1)}
    ORDER BY first_id LIMIT ${UNDO_BATCH_SIZE}`;
  const lockAnimals = `SELECT 1 FROM animals WHERE ${idIsOneOf($(1))} ORDER BY id ${forUpdate}`;
  const removeAnimals = `DELETE FROM animals WHERE ${idIsOneOf($(1))}
    AND NOT EXISTS (SELECT 1 FROM orders WHERE orders.animal_id = animals.id) RETURNING id`;

  function* get(id: bigint): Work<Import | undefined> {
    const row = yield* first(`${selectFrom(IMPORTS)} WHERE id = ${$(1)} ${forUpdate}`, [id]);
    return row && importOf(row);
  }

  /** Removes these animals, except those that orders refer to. */
  function* remove(importId: bigint, ids: readonly bigint[]): Work<void> {
    const list = [idList(ids)];
    // Locked before their orders are read: only a later statement surely sees those of earlier lock holders.
    if (forUpdate) yield* run(lockAnimals, list);
    const removed = yield* run(removeAnimals, list);
    const left = yield* first(`SELECT count(*) AS count FROM animals WHERE ${idIsOneOf($(1))}`, list);
    yield* run(`UPDATE imports SET removed = removed + ${$(1)}, kept = kept + ${$(2)} WHERE id = ${$(3)}`, [
      BigInt(removed.length),
      left?.count as bigint,
      importId,
    ]);
  }

  return {
    *beginUndo(request: UndoRequest): Work<Result<Import, UndoRefusal>> {
      const { importId, atMs } = request;
      const decision = decideUndo(yield* get(importId));
      if (decision.kind === "refused") return decision;
      const { earlier, isNew } = decision.value;
      if (isNew) yield* run(`UPDATE imports SET undo_begun_at = ${$(1)} WHERE id = ${$(2)}`, [BigInt(atMs), importId]);
      yield* append(entryOfUndo(request, earlier, isNew ? "begun" : "continued"));
      return done(earlier);
    },
    *undoSome(request: UndoRequest): Work<Import> {
      const { importId, atMs } = request;
      const before = (yield* get(importId)) as Import;
      if (before.undoneAtMs !== undefined) return before;
      const ranges = yield* run(firstRanges, [importId]);
      const { ids, rest } = firstIds(ranges.map(rangeOf), UNDO_BATCH_SIZE);
      const lastId = ids.at(-1);
      if (lastId === undefined) {
        yield* run(`UPDATE imports SET undone_at = ${$(1)} WHERE id = ${$(2)}`, [BigInt(atMs), importId]);
        yield* append(entryOfUndo(request, before, "finished"));
      } else {
        yield* remove(importId, ids);
        yield* run(`DELETE FROM import_ranges WHERE import_id = ${$(1)} AND first_id <= ${$(2)}`, [importId, lastId]);
        if (rest)
          yield* run(insertInto(IMPORT_RANGES, IMPORT_RANGES.columns, $), [importId, rest.firstId, rest.lastId]);
      }
      return (yield* get(importId)) as Import;
    },
  };
}
