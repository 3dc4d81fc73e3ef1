import type { Database } from "bun:sqlite";
import { done } from "../../../../base/result.ts";
import {
  decideUndo,
  firstIds,
  type Import,
  UNDO_BATCH_SIZE,
  type UndoRequest,
} from "../../../../domain/stock/import.ts";
import { importOf } from "../../../sql/import-rows.ts";
import { type ImportStatements, importStatements, rangeOf, undoEntry } from "../../../sql/import-statements.ts";
import type { Row } from "../../../sql/table.ts";
import { SQLITE } from "../../sql/dialect.ts";
import { preparedSet } from "../../sql/statements.ts";
import type { Writer } from "../writer.ts";
import { journalWrites } from "./journal.ts";

export function undoWrites(db: Database): Pick<Writer, "beginUndo" | "undoSome"> {
  const statements = preparedSet<keyof ImportStatements, Row>(db, importStatements(SQLITE));
  const journal = journalWrites(db);

  const get = (id: bigint): Import | undefined => {
    const row = statements.get().get(id);
    return row ? importOf(row) : undefined;
  };

  /** Removes what may be removed of these. */
  function remove({ importId }: UndoRequest, ids: readonly bigint[]): void {
    const list = SQLITE.idList(ids);
    const removed = statements.removeAnimals().all(list).length;
    const left = statements.countAnimals().get(list);
    statements.noteUndo().run(BigInt(removed), left?.count as bigint, importId);
  }

  return {
    beginUndo(request) {
      const decision = decideUndo(get(request.importId));
      if (decision.kind === "refused") return decision;
      const { earlier, isNew } = decision.value;
      if (isNew) statements.beginUndo().run(BigInt(request.atMs), request.importId);
      journal.append(undoEntry(request, earlier, isNew ? "begun" : "continued"));
      return done(earlier);
    },
    undoSome(request) {
      const { importId } = request;
      const before = get(importId) as Import;
      if (before.undoneAtMs !== undefined) return before;
      const { ids, rest } = firstIds(statements.firstRanges().all(importId).map(rangeOf), UNDO_BATCH_SIZE);
      const lastId = ids.at(-1);
      if (lastId === undefined) {
        statements.finishUndo().run(BigInt(request.atMs), importId);
        journal.append(undoEntry(request, before, "finished"));
      } else {
        remove(request, ids);
        statements.removeRanges().run(importId, lastId);
        if (rest) statements.addRange().run(importId, rest.firstId, rest.lastId);
      }
      return get(importId) as Import;
    },
  };
}
