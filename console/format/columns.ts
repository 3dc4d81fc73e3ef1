import { suggest } from "../../src/base/text/suggest.ts";

// The columns of an imported file, and the fields of an animal that they are read as.

export type ImportField = "id" | "name" | "categoryId" | "status";

/** The column of each field; a field without one is not read. */
export type ColumnChoice = Partial<Readonly<Record<ImportField, string>>>;

interface FieldWords {
  readonly field: ImportField;
  readonly label: string;
  readonly hint?: string;
  readonly isNeeded: boolean;
}

/** Ids are read only where they are kept. */
export const importFields = (keepIds: boolean): readonly FieldWords[] => [
  ...(keepIds ? ([{ field: "id", label: "Id", isNeeded: true }] as const) : []),
  { field: "name", label: "Name", isNeeded: true },
  { field: "categoryId", label: "Category", hint: "numbers or names", isNeeded: true },
  { field: "status", label: "Status", isNeeded: false },
];

/** The columns that are probably meant: "Category ID" is a categoryId. */
export function likelyColumns(columns: readonly string[], keepIds: boolean): ColumnChoice {
  const plain = new Map(columns.map((column) => [column.toLowerCase().replace(/[^a-z]/g, ""), column]));
  plain.delete("");
  const found = importFields(keepIds).map(({ field }) => [field, plain.get(suggest(field, plain.keys()) ?? "")]);
  return Object.fromEntries(found.filter(([, column]) => column !== undefined));
}

/** The parameters of a request that reads these columns. */
export const columnParams = (map: ColumnChoice, keepIds: boolean): Record<string, string> =>
  Object.fromEntries(
    importFields(keepIds).flatMap(({ field }) => (map[field] ? [[`${field}Column`, map[field]] as const] : [])),
  );
