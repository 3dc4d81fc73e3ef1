import { lazy } from "../../../base/lazy.ts";
import { done, type Result } from "../../../base/result.ts";
import type { Animal, NewAnimal } from "../../../domain/stock/animal.ts";
import { hasId, type IdRange, type ImportBatch, type Overtaken, rangesOf } from "../../../domain/stock/import.ts";
import type { ImportStore } from "../../ports/store.ts";
import { IMPORT_RANGES } from "../../sql/import-rows.ts";
import { ANIMALS, NEW_ANIMAL, newAnimalValues } from "../../sql/rows.ts";
import { insertInto } from "../../sql/table.ts";
import { importAdding, importReads, importUndoing } from "../../sql/tables/imports.ts";
import { run, type Work } from "../../sql/work.ts";
import { SQLITE } from "../sql/dialect.ts";
import type { Connection } from "../sql/statements.ts";
import { insertRows, lastInsertedId, reading } from "../sql/work.ts";
import { followOthers } from "../wal/version.ts";
import { indexGivenIds } from "./name-index.ts";
import { BOOKKEEPING, BULK_CHANGE, declareWrites, forward, type Writes } from "./write.ts";

const { begin, advance } = importAdding(SQLITE, {
  // There is one writer at a time.
  *holdAdditions() {},
  *setLastId(lastId) {
    yield* run(`INSERT INTO sqlite_sequence (name, seq) SELECT 'animals', 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'animals')`);
    yield* run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'animals'", [lastId]);
  },
});
const { beginUndo, undoSome } = importUndoing(SQLITE);
const ADD_RANGE = insertInto(IMPORT_RANGES, IMPORT_RANGES.columns, SQLITE.placeholder);

const beginnings = declareWrites("imports", BOOKKEEPING, { begin, beginUndo });

const batches = declareWrites("imports", BULK_CHANGE, {
  undoSome,
  *add(batch: ImportBatch): Work<Result<number, Overtaken>> {
    const startMs = performance.now();
    const advanced = yield* advance(batch);
    if (advanced.kind === "refused") return advanced;
    for (const { firstId, lastId } of yield* insert(batch)) yield* run(ADD_RANGE, [batch.importId, firstId, lastId]);
    return done(performance.now() - startMs);
  },
});

export const importWrites = [beginnings, batches];

export function sqliteImports(connection: Connection, writes: Writes): ImportStore {
  const others = lazy(() => followOthers(connection));
  return {
    ...reading(connection, importReads(SQLITE)),
    ...forward(writes, beginnings),
    ...forward(writes, batches),
    async add(batch) {
      const added = await writes.perform("imports.add", batch);
      return added.kind === "done" ? done({ othersWrite: others()(), heldMs: added.value }) : added;
    },
  };
}

/** A fifth faster than 16 rows in one INSERT; more make no difference. */
const ROWS_PER_INSERT = 100;

/** Returns the ids of the animals, which follow each other unless they were given. */
function* insert({ animals }: ImportBatch): Work<readonly IdRange[]> {
  if (animals.length === 0) return [];
  for (let at = 0; at < animals.length; at += ROWS_PER_INSERT)
    yield* insertTogether(animals.slice(at, at + ROWS_PER_INSERT));
  if (animals.every(hasId)) {
    const ids = animals.map(({ id }) => id);
    yield* indexGivenIds(ids);
    return rangesOf(ids);
  }
  const lastId = yield* lastInsertedId();
  return [{ firstId: lastId - BigInt(animals.length - 1), lastId }];
}

function* insertTogether(animals: readonly (NewAnimal | Animal)[]): Work<void> {
  const columns = animals.every(hasId) ? ["id", ...NEW_ANIMAL] : NEW_ANIMAL;
  const values = animals.flatMap((animal) =>
    hasId(animal) ? [animal.id, ...newAnimalValues(animal)] : newAnimalValues(animal),
  );
  yield* run(insertRows(ANIMALS, columns, animals.length), values);
}
