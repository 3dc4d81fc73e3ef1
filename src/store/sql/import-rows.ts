import type { IdRange, Import, ImportBeginning } from "../../domain/stock/import.ts";
import {
  asIs,
  columnsOf,
  type FieldsOf,
  objectOf,
  optionalNumber,
  type Row,
  type SqlValue,
  type Table,
} from "./table.ts";

// The tables of imports and the mapping of their rows. rows.ts lists them with the others.

const IMPORT_FIELDS: FieldsOf<Import> = {
  id: ["id", asIs],
  identity: ["identity", asIs],
  source: ["source", asIs],
  records: ["records", Number],
  animals: ["animals", Number],
  recordsDone: ["records_done", Number],
  added: ["added", Number],
  begunAtMs: ["begun_at", Number],
  finishedAtMs: ["finished_at", optionalNumber],
  undoBegunAtMs: ["undo_begun_at", optionalNumber],
  undoneAtMs: ["undone_at", optionalNumber],
  removed: ["removed", Number],
  kept: ["kept", Number],
};

export const IMPORTS: Table = { name: "imports", columns: columnsOf(IMPORT_FIELDS), key: ["id"] };

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

export const importOf = (row: Row): Import => objectOf(IMPORT_FIELDS, row);

export const IMPORT_RANGES: Table = {
  name: "import_ranges",
  columns: ["import_id", "first_id", "last_id"],
  key: ["import_id", "first_id"],
};

export const rangeOf = (row: Row): IdRange => ({ firstId: row.first_id as bigint, lastId: row.last_id as bigint });
