import { type Field, isRequired } from "../../base/json/fields.ts";
import { NEW_ANIMAL_FIELDS } from "../../domain/stock/animal.ts";
import { UnusableFile } from "../file-problem.ts";

// Maps the columns of a file, or the members of its objects, to the fields of an animal.

export type FieldName = "id" | keyof typeof NEW_ANIMAL_FIELDS;

export const NEW_FIELDS = Object.keys(NEW_ANIMAL_FIELDS) as FieldName[];
export const FIELD_NAMES: readonly FieldName[] = ["id", ...NEW_FIELDS];

/** The column of each field that is read. All other columns are left out. */
export type ColumnMap = ReadonlyMap<FieldName, string>;

export interface ColumnOptions {
  /** By default, columns are named like fields. */
  readonly map?: ColumnMap | undefined;
  readonly keepIds: boolean;
}

export const isFieldName = (name: string): name is FieldName => FIELD_NAMES.some((known) => known === name);

/** True for required fields, and for the id where ids are kept. */
const isNeeded = (field: FieldName, { keepIds }: ColumnOptions): boolean =>
  field === "id" ? keepIds : isRequired(NEW_ANIMAL_FIELDS[field] as Field<unknown>);

/** Chooses the column of each field. Fails with an UnusableFile. */
export function columnsOf(header: readonly string[], options: ColumnOptions): ColumnMap {
  const chosen = options.map ?? new Map(header.filter(isFieldName).map((field) => [field, field]));
  const repeated = header.find((column, i) => header.indexOf(column) !== i);
  if (repeated !== undefined) throw new UnusableFile({ kind: "repeated_column", column: repeated });
  const unknown = options.map ? undefined : header.find((column) => !isFieldName(column));
  if (unknown !== undefined) throw new UnusableFile({ kind: "unknown_column", column: unknown, columns: header });
  if (chosen.has("id") && !options.keepIds) throw new UnusableFile({ kind: "assigned_ids", columns: header });
  for (const field of FIELD_NAMES) {
    const column = chosen.get(field);
    if (column === undefined ? isNeeded(field, options) : !header.includes(column))
      throw new UnusableFile({ kind: "missing_column", field, column: column ?? field, columns: header });
  }
  return chosen;
}
