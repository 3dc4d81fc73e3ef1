import { type Field, isRequired } from "../../base/json/fields.ts";
import { OperatorError } from "../../base/operator-error.ts";
import { suggest } from "../../base/text/suggest.ts";
import { quote } from "../../base/text/text.ts";
import { NEW_ANIMAL_FIELDS } from "../../domain/stock/animal.ts";

// Which column of a file, or which member of its objects, is which field of an animal.

export type FieldName = "id" | keyof typeof NEW_ANIMAL_FIELDS;

const NEW_FIELDS = Object.keys(NEW_ANIMAL_FIELDS) as FieldName[];
export const FIELD_NAMES: readonly FieldName[] = ["id", ...NEW_FIELDS];

/** Of --map: the column of each field that it names. All other columns are left out. */
export type ColumnMap = ReadonlyMap<FieldName, string>;

export interface ColumnOptions {
  readonly map?: ColumnMap | undefined;
  readonly keepIds: boolean;
}

export const isFieldName = (name: string): name is FieldName => FIELD_NAMES.some((known) => known === name);

const isNeeded = (field: FieldName, { keepIds }: ColumnOptions): boolean =>
  field === "id" ? keepIds : isRequired(NEW_ANIMAL_FIELDS[field] as Field<unknown>);

/** The column of each field that is read. Fails with an OperatorError that says what to do. */
export function columnsOf(header: readonly string[], options: ColumnOptions, name: string): ColumnMap {
  refuseRepeated(header, name);
  const map = options.map ?? new Map(header.filter(isFieldName).map((field) => [field, field]));
  if (!options.map) refuseUnknown(header, name);
  if (map.has("id") && !options.keepIds) throw assignedIds(name, header);
  for (const field of FIELD_NAMES) {
    const column = map.get(field);
    if (column === undefined ? isNeeded(field, options) : !header.includes(column))
      throw missing(field, column, header, name);
  }
  return map;
}

/** The columns of a file are not those of animals. What helps is said for the command line; pages have words of their own. */
export class ColumnsDiffer extends OperatorError {
  constructor(
    readonly kind: "assigned_ids" | "unknown_column" | "missing_column",
    /** Without what to do about it. */
    readonly problem: string,
    remedy: string,
  ) {
    super(`${problem}: ${remedy}`);
  }
}

/** A file has ids, and they were not to be kept. */
export const assignedIds = (name: string, columns: readonly string[]): ColumnsDiffer =>
  new ColumnsDiffer(
    "assigned_ids",
    `${name} has ids, and the service assigns them`,
    `leave them out with --map ${mapOf(columns)}, or restore an export into an empty store with --keep-ids`,
  );

function refuseRepeated(header: readonly string[], name: string): void {
  const repeated = header.find((column, i) => header.indexOf(column) !== i);
  if (repeated !== undefined)
    throw new OperatorError(`${name} has the column ${quote(repeated)} more than once: rename one of them`);
}

function refuseUnknown(header: readonly string[], name: string): void {
  const unknown = header.find((column) => !isFieldName(column));
  if (unknown === undefined) return;
  const separator = header.length === 1 && /[;\t|]/.exec(unknown)?.[0];
  if (separator)
    throw new OperatorError(
      `${name} must be CSV, whose cells are separated by commas, and its header is ${quote(unknown)}: save it with commas`,
    );
  throw new ColumnsDiffer(
    "unknown_column",
    `${name} has the column ${quote(unknown)}, which is not a field of an animal (${NEW_FIELDS.join(", ")})`,
    `name the columns to read with --map ${mapOf(header)}, and the others are left out`,
  );
}

function missing(field: FieldName, column: string | undefined, header: readonly string[], name: string): ColumnsDiffer {
  const there = header.slice(0, SHOWN).map(quote).join(", ") + (header.length > SHOWN ? ", …" : "");
  const wanted = column ?? field;
  return new ColumnsDiffer(
    "missing_column",
    `${name} has no column ${quote(wanted)}${field === wanted ? "" : ` for ${field}`}, only ${there}`,
    `say which one it is with --map ${mapOf(header)}`,
  );
}

const SHOWN = 10;

/** What --map probably has to be for these columns. */
const mapOf = (columns: readonly string[]): string =>
  NEW_FIELDS.map((field) => ({ field, column: suggest(field, columns.filter(isPlain)) }))
    .filter(({ field, column }) => column !== undefined || isRequired(NEW_ANIMAL_FIELDS[field as "name"]))
    .map(({ field, column }) => `${field}=${column ?? "COLUMN"}`)
    .join(",");

/** What can stand in a command without quotes. */
const isPlain = (column: string): boolean => /^[\w.-]+$/.test(column);
