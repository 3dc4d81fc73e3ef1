import type { IdRange, Import, ImportBeginning } from "../../domain/stock/import.ts";
import { type ColumnOf, optionalNumber, type Row, type SqlValue, type Table } from "./table.ts";

// The tables of imports and the mapping of their rows. rows.ts lists them with the others.

const IMPORT_COLUMNS: ColumnOf<Import> = {
  id: "id",
  identity: "identity",
  source: "source",
  records: "records",
  animals: "animals",
  recordsDone: "records_done",
  added: "added",
  begunAtMs: "begun_at",
  finishedAtMs: "finished_at",
  undoBegunAtMs: "undo_begun_at",
  undoneAtMs: "undone_at",
  removed: "removed",
  kept: "kept",
};

export const IMPORTS: Table = { name: "imports", columns: Object.values(IMPORT_COLUMNS), key: ["id"] };

const NEW_IMPORT_VALUES: Readonly<Record<string, (beginning: ImportBeginning) => SqlValue>> = {
  identity: ({ identity }) => identity,
  source: ({ source }) => source,
  records: ({ records }) => BigInt(records),
  animals: ({ animals }) => BigInt(animals),
  begun_at: ({ atMs }) => BigInt(atMs),
  records_done: () => 0n,
  added: () => 0n,
  removed: () => 0n,
  kept: () => 0n,
};

/** The columns of a new row; the database assigns the id. */
export const NEW_IMPORT: readonly string[] = Object.keys(NEW_IMPORT_VALUES);

/** The values of a new import, in the order of NEW_IMPORT. */
export const newImportValues = (beginning: ImportBeginning): SqlValue[] =>
  Object.values(NEW_IMPORT_VALUES).map((valueIn) => valueIn(beginning));

export const importOf = (row: Row): Import => ({
  id: row.id as bigint,
  identity: row.identity as string,
  source: row.source as string,
  records: Number(row.records),
  animals: Number(row.animals),
  recordsDone: Number(row.records_done),
  added: Number(row.added),
  begunAtMs: Number(row.begun_at),
  finishedAtMs: optionalNumber(row.finished_at),
  undoBegunAtMs: optionalNumber(row.undo_begun_at),
  undoneAtMs: optionalNumber(row.undone_at),
  removed: Number(row.removed),
  kept: Number(row.kept),
});

export const IMPORT_RANGES: Table = {
  name: "import_ranges",
  columns: ["import_id", "first_id", "last_id"],
  key: ["import_id", "first_id"],
};

export const rangeOf = (row: Row): IdRange => ({ firstId: row.first_id as bigint, lastId: row.last_id as bigint });
