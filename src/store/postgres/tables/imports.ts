import { done, refused } from "../../../base/result.ts";
import type { NewAnimal } from "../../../domain/stock/animal.ts";
import { entryOfFinishedImport, entryOfImport, entryOfUndo } from "../../../domain/stock/changes.ts";
import {
  decideBeginning,
  decideUndo,
  firstIds,
  hasId,
  type Import,
  type ImportBatch,
  type ImportBeginning,
  rangesOf,
  UNDO_BATCH_SIZE,
  type UndoRequest,
} from "../../../domain/stock/import.ts";
import type { ImportStore } from "../../ports/store.ts";
import { IMPORT_RANGES, importOf, newImportValues } from "../../sql/import-rows.ts";
import { ALL_IMPORTS, advanceValues, importStatements, rangeOf } from "../../sql/import-statements.ts";
import { NEW_ANIMAL, newAnimalValues } from "../../sql/rows.ts";
import type { Row, SqlValue } from "../../sql/table.ts";
import type { Connection, CopyingConnection } from "../connections/connection.ts";
import { POSTGRES } from "../connections/dialect.ts";
import { isDuplicate } from "../connections/sql-state.ts";
import type { Pool } from "../database.ts";
import { appendJournal } from "./journal.ts";

const SQL = importStatements(POSTGRES);
const GET_AND_LOCK = `${SQL.get} FOR UPDATE`;
const IDS = "pg_get_serial_sequence('animals', 'id')::regclass";

/** Each id is drawn by itself, so ids of others may be in between. */
export const DRAW_IDS = `SELECT nextval((SELECT ${IDS})) AS id FROM generate_series(1, $1::text::int)`;
/** Blocks all other additions of animals for a moment; they then get greater ids. */
const HOLD_ADDITIONS = "LOCK TABLE animals IN SHARE ROW EXCLUSIVE MODE";
const SET_LAST_ID = `SELECT setval(${IDS}, greatest($1, nextval(${IDS})))`;
const COPY_ANIMALS = `COPY animals (id, ${NEW_ANIMAL.join(", ")}) FROM STDIN`;
const COPY_RANGES = `COPY import_ranges (${IMPORT_RANGES.columns.join(", ")}) FROM STDIN`;
/** Locks animals before their orders are read: only a later statement surely sees those of earlier lock holders. */
const LOCK_ANIMALS = `SELECT FROM animals WHERE ${POSTGRES.idIsOneOf("$1")} ORDER BY id FOR UPDATE`;

export function postgresImports(pool: Pool): ImportStore {
  return {
    list: async (size = ALL_IMPORTS) => (await pool.read<Row>(SQL.list, [size])).map(importOf),
    async get(id) {
      const [row] = await pool.read<Row>(SQL.get, [id]);
      return row && importOf(row);
    },
    begin: (beginning) =>
      pool
        .transact((tx) => begin(tx, beginning))
        // Somebody else has just begun the same import, which is then continued.
        .catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
          return pool.transact((tx) => begin(tx, beginning));
        }),
    add: (batch) => {
      const startMs = performance.now();
      return pool.transact(async (tx) => {
        const [advanced] = await tx.run<Row>(SQL.advance, advanceValues(batch));
        if (!advanced) return refused({ kind: "overtaken" });
        if (batch.animals.length > 0) await addAnimals(tx, batch);
        if (batch.isLast) await appendJournal(tx, entryOfFinishedImport(batch, Number(advanced.added)));
        // Rows are locked singly, so a batch blocks nobody.
        return done({ othersWrite: false, heldMs: performance.now() - startMs });
      });
    },
    beginUndo: (request) =>
      pool.transact(async (tx) => {
        const [row] = await tx.run<Row>(GET_AND_LOCK, [request.importId]);
        const decision = decideUndo(row && importOf(row));
        if (decision.kind === "refused") return decision;
        const { earlier, isNew } = decision.value;
        if (isNew) await tx.run(SQL.beginUndo, [BigInt(request.atMs), request.importId]);
        await appendJournal(tx, entryOfUndo(request, earlier, isNew ? "begun" : "continued"));
        return done(earlier);
      }),
    undoSome: (request) => pool.transact((tx) => undoSome(tx, request)),
  };
}

async function begin(tx: Connection, beginning: ImportBeginning): Promise<Awaited<ReturnType<ImportStore["begin"]>>> {
  const earlier = (await tx.run<Row>(SQL.findByIdentity, [beginning.identity])).map(importOf);
  const decision = decideBeginning(earlier, beginning);
  if (decision.kind === "already_imported") return refused(decision);
  if (decision.kind === "begin" && decision.lastId !== undefined) {
    await tx.run(HOLD_ADDITIONS);
    if ((await tx.run(SQL.findAnimal)).length > 0) return refused({ kind: "not_empty" });
    await tx.run(SQL.forgetRanges);
    await tx.run(SET_LAST_ID, [decision.lastId]);
  }
  const begun =
    decision.kind === "continue"
      ? decision.earlier
      : importOf((await tx.run<Row>(SQL.insert, newImportValues(beginning)))[0] as Row);
  await appendJournal(tx, entryOfImport(beginning, begun));
  return done(begun);
}

async function addAnimals(tx: CopyingConnection, { animals, importId }: ImportBatch): Promise<void> {
  const identified = animals.every(hasId) ? animals : await tx.run<{ id: bigint }>(DRAW_IDS, [animals.length]);
  const ids = identified.map(({ id }) => id);
  let data = "";
  for (let i = 0; i < animals.length; i++)
    data += lineOf([ids[i] as bigint, ...newAnimalValues(animals[i] as NewAnimal)]);
  await tx.copyIn(COPY_ANIMALS, data);
  const ranges = rangesOf(ids);
  await tx.copyIn(COPY_RANGES, ranges.map(({ firstId, lastId }) => lineOf([importId, firstId, lastId])).join(""));
}

/** A line in the text format of COPY. */
const lineOf = (values: readonly SqlValue[]): string => `${values.map(cellOf).join("\t")}\n`;

const SPECIAL = /[\\\t\n\r]/;

/** Names have no control characters, but a backslash would begin an escape. */
function cellOf(value: SqlValue): string {
  const text = value === null ? "\\N" : String(value);
  if (value === null || !SPECIAL.test(text)) return text;
  return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}

async function undoSome(tx: Connection, request: UndoRequest): Promise<Import> {
  const { importId } = request;
  const get = async (): Promise<Import> => importOf((await tx.run<Row>(GET_AND_LOCK, [importId]))[0] as Row);
  const before = await get();
  if (before.undoneAtMs !== undefined) return before;
  const ranges = (await tx.run<Row>(SQL.firstRanges, [importId])).map(rangeOf);
  const { ids, rest } = firstIds(ranges, UNDO_BATCH_SIZE);
  const lastId = ids.at(-1);
  if (lastId === undefined) {
    await tx.run(SQL.finishUndo, [BigInt(request.atMs), importId]);
    await appendJournal(tx, entryOfUndo(request, before, "finished"));
    return get();
  }
  const list = POSTGRES.idList(ids);
  await tx.run(LOCK_ANIMALS, [list]);
  const removed = (await tx.run(SQL.removeAnimals, [list])).length;
  const [left] = await tx.run<{ count: bigint }>(SQL.countAnimals, [list]);
  await tx.run(SQL.noteUndo, [BigInt(removed), left?.count as bigint, importId]);
  await tx.run(SQL.removeRanges, [importId, lastId]);
  if (rest) await tx.run(SQL.addRange, [importId, rest.firstId, rest.lastId]);
  return get();
}
