import type { Database } from "bun:sqlite";
import { done, refused } from "../../../../base/result.ts";
import type { Animal, NewAnimal } from "../../../../domain/stock/animal.ts";
import { decideBeginning, hasId, type IdRange, type ImportBatch, rangesOf } from "../../../../domain/stock/import.ts";
import { importOf, newImportValues } from "../../../sql/import-rows.ts";
import {
  advanceValues,
  beginningEntry,
  finishingEntry,
  type ImportStatements,
  importStatements,
} from "../../../sql/import-statements.ts";
import { ANIMALS, NEW_ANIMAL, newAnimalValues } from "../../../sql/rows.ts";
import { insertInto, type Row } from "../../../sql/table.ts";
import { SQLITE } from "../../sql/dialect.ts";
import { prepared, preparedSet } from "../../sql/statements.ts";
import type { Writer } from "../writer.ts";
import { journalWrites } from "./journal.ts";

type ImportWrites = Pick<Writer, "beginImport" | "addToImport">;

/** Of one INSERT: a fifth faster than 16, and more make no difference. */
const ROWS_PER_INSERT = 100;

const NEW_COLUMNS = NEW_ANIMAL;
const ALL_COLUMNS = ["id", ...NEW_ANIMAL];

export function importWrites(db: Database): ImportWrites {
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
    beginImport(beginning) {
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
      journal.append(beginningEntry(beginning, begun));
      return done(begun);
    },
    addToImport(batch) {
      const startMs = performance.now();
      const advanced = statements.advance().get(...advanceValues(batch));
      if (!advanced) return refused({ kind: "overtaken" });
      for (const { firstId, lastId } of add(batch)) statements.addRange().run(batch.importId, firstId, lastId);
      if (batch.isLast) journal.append(finishingEntry(batch, Number(advanced.added)));
      return done(performance.now() - startMs);
    },
  };
}

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
