import type { Database } from "bun:sqlite";
import { lazy } from "../../../base/lazy.ts";
import { done, refused } from "../../../base/result.ts";
import type { Animal, NewAnimal } from "../../../domain/stock/animal.ts";
import { entryOfFinishedImport, entryOfImport, entryOfUndo } from "../../../domain/stock/changes.ts";
import {
  decideBeginning,
  decideUndo,
  firstIds,
  hasId,
  type IdRange,
  type Import,
  type ImportBatch,
  rangesOf,
  UNDO_BATCH_SIZE,
  type UndoRequest,
} from "../../../domain/stock/import.ts";
import type { ImportStore } from "../../ports/store.ts";
import { importOf, newImportValues } from "../../sql/import-rows.ts";
import {
  ALL_IMPORTS,
  advanceValues,
  type ImportStatements,
  importStatements,
  rangeOf,
} from "../../sql/import-statements.ts";
import { ANIMALS, NEW_ANIMAL, newAnimalValues } from "../../sql/rows.ts";
import { insertInto, type Row } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared, preparedSet } from "../sql/statements.ts";
import { followOthers } from "../wal/version.ts";
import { journalWrites } from "./journal.ts";
import { BOOKKEEPING, BULK_CHANGE, declareWrites, forward, type Writes } from "./write.ts";

export function sqliteImports(connection: Connection, writes: Writes): ImportStore {
  const { list, get } = importStatements(SQLITE);
  const [all, one] = [prepared<Row>(connection, list), prepared<Row>(connection, get)];
  const others = lazy(() => followOthers(connection));

  return {
    ...forward(writes, addingWrites),
    ...forward(writes, undoWrites),
    list: (size = ALL_IMPORTS) => attempt(() => all().all(size)).map(importOf),
    get(id) {
      const row = attempt(() => one().get(id));
      return row ? importOf(row) : undefined;
    },
    async add(batch) {
      const added = await writes.perform("imports.add", batch);
      return added.kind === "done" ? done({ othersWrite: others()(), heldMs: added.value }) : added;
    },
  };
}

/** A fifth faster than 16 rows in one INSERT; more make no difference. */
const ROWS_PER_INSERT = 100;

const NEW_COLUMNS = NEW_ANIMAL;
const ALL_COLUMNS = ["id", ...NEW_ANIMAL];

const addingWrites = declareWrites("imports", { begin: BOOKKEEPING, add: BULK_CHANGE }, (db) => {
  const statements = preparedSet<keyof ImportStatements, Row>(db, importStatements(SQLITE));
  const journal = journalWrites(db);
  const insert = animalInserts(db);
  const setLastId = prepared(db, "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'animals'");
  const addLastId = prepared(
    db,
    "INSERT INTO sqlite_sequence (name, seq) SELECT 'animals', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'animals')",
  );

  /** Returns the ids of the animals, which follow each other unless they were given. */
  function add({ animals }: ImportBatch): readonly IdRange[] {
    let lastId = 0n;
    for (let at = 0; at < animals.length; at += ROWS_PER_INSERT)
      lastId = insert(animals.slice(at, at + ROWS_PER_INSERT));
    if (animals.length === 0) return [];
    if (animals.every(hasId)) return rangesOf(animals.map(({ id }) => id));
    return [{ firstId: lastId - BigInt(animals.length - 1), lastId }];
  }

  return {
    begin(beginning) {
      const earlier = statements.findByIdentity().all(beginning.identity).map(importOf);
      const decision = decideBeginning(earlier, beginning);
      if (decision.kind === "already_imported") return refused(decision);
      if (decision.kind === "begin" && decision.lastId !== undefined) {
        if (statements.findAnimal().get()) return refused({ kind: "not_empty" });
        statements.forgetRanges().run();
        addLastId().run();
        setLastId().run(decision.lastId);
      }
      const begun =
        decision.kind === "continue"
          ? decision.earlier
          : importOf(statements.insert().get(...newImportValues(beginning)) as Row);
      journal.append(entryOfImport(beginning, begun));
      return done(begun);
    },
    add(batch) {
      const startMs = performance.now();
      const advanced = statements.advance().get(...advanceValues(batch));
      if (!advanced) return refused({ kind: "overtaken" });
      for (const { firstId, lastId } of add(batch)) statements.addRange().run(batch.importId, firstId, lastId);
      if (batch.isLast) journal.append(entryOfFinishedImport(batch, Number(advanced.added)));
      return done(performance.now() - startMs);
    },
  };
});

/** Inserts some animals with one statement. Returns the id of the last one. */
function animalInserts(db: Database): (animals: readonly (NewAnimal | Animal)[]) => bigint {
  const statements = new Map<string, ReturnType<typeof prepared>>();
  return (animals) => {
    const [first] = animals;
    const columns = first && hasId(first) ? ALL_COLUMNS : NEW_COLUMNS;
    const key = `${columns.length} ${animals.length}`;
    let statement = statements.get(key);
    if (!statement) {
      const more = `, (${columns.map(() => "?")})`.repeat(animals.length - 1);
      statement = prepared(db, insertInto(ANIMALS, columns, () => "?") + more);
      statements.set(key, statement);
    }
    const values = animals.flatMap((animal) =>
      hasId(animal) ? [animal.id, ...newAnimalValues(animal)] : newAnimalValues(animal),
    );
    return BigInt(statement().run(...values).lastInsertRowid);
  };
}

const undoWrites = declareWrites("imports", { beginUndo: BOOKKEEPING, undoSome: BULK_CHANGE }, (db) => {
  const statements = preparedSet<keyof ImportStatements, Row>(db, importStatements(SQLITE));
  const journal = journalWrites(db);

  const get = (id: bigint): Import | undefined => {
    const row = statements.get().get(id);
    return row ? importOf(row) : undefined;
  };

  /** Removes these animals, except those that orders refer to. */
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
      journal.append(entryOfUndo(request, earlier, isNew ? "begun" : "continued"));
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
        journal.append(entryOfUndo(request, before, "finished"));
      } else {
        remove(request, ids);
        statements.removeRanges().run(importId, lastId);
        if (rest) statements.addRange().run(importId, rest.firstId, rest.lastId);
      }
      return get(importId) as Import;
    },
  };
});

export const importWrites = [addingWrites, undoWrites];
