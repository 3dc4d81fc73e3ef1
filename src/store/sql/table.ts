// Tables, and the statements that name their columns.

/** A row as it is read: integers are bigints. */
export type Row = Readonly<Record<string, bigint | string | null>>;

/** A value of a parameter. */
export type SqlValue = bigint | string | number | null;

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** The database refuses changes and deletions of its rows. */
  readonly isAppendOnly?: true;
}

/** The column of each field. A field without a column does not compile. */
export type ColumnOf<Fields> = { readonly [Name in keyof Fields]: string };

/** A column, and how its value is read. */
type Column = readonly [name: string, read: (value: Row[string] | undefined) => unknown];

/** The column of each field, likewise. */
export type FieldsOf<Fields> = Readonly<Record<keyof Fields, Column>>;

export const columnsOf = (fields: Readonly<Record<string, Column>>): string[] =>
  Object.values(fields).map(([column]) => column);

/** Reads the fields of a row. */
export function objectOf<Fields>(fields: FieldsOf<Fields>, row: Row): Fields {
  const read = Object.entries<Column>(fields).map(([field, [column, readValue]]) => [field, readValue(row[column])]);
  return Object.fromEntries(read) as Fields;
}

export const asIs = (value: Row[string] | undefined) => value;

export const optionalNumber = (value: Row[string] | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);

export const optionalText = (value: Row[string] | undefined) => value ?? undefined;

export const selectFrom = ({ name, columns }: Table): string => `SELECT ${columns.join(", ")} FROM ${name}`;

export const insertInto = ({ name }: Table, columns: readonly string[], placeholder: (n: number) => string): string =>
  `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map((_, i) => placeholder(i + 1)).join(", ")})`;

/** Follows an INSERT: replaces an existing row, unless the table is append-only. */
export function orReplace({ key, columns, isAppendOnly }: Table): string {
  const conflict = `ON CONFLICT (${key.join(", ")})`;
  if (isAppendOnly) return `${conflict} DO NOTHING`;
  const others = columns.filter((column) => !key.includes(column));
  return `${conflict} DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(", ")}`;
}

/** Inserts a row, or replaces the existing one. */
export const upsertInto = (table: Table, placeholder: (n: number) => string): string =>
  `${insertInto(table, table.columns, placeholder)} ${orReplace(table)}`;
