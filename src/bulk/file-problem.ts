import type { Import } from "../domain/stock/import.ts";

/** Formats that are recognized by their first bytes, and cannot be read. */
export type ForeignFormat = "zip" | "zstd" | "xz" | "bzip2" | "UTF-16";

/** Why a file cannot be imported. wording.ts has the sentences. */
export type FileProblem =
  | { readonly kind: "cannot_open"; readonly why: string }
  | { readonly kind: "folder" | "empty" | "json_array" }
  /** Input that can be read only once is kept in a temporary folder. */
  | { readonly kind: "cannot_spool"; readonly folder: string; readonly why: string }
  /** Changed since it was validated; with the import that has already added some of its animals, if any. */
  | { readonly kind: "changed"; readonly import?: Import }
  | { readonly kind: "foreign_format"; readonly format: ForeignFormat }
  | { readonly kind: "damaged_gzip"; readonly why: string }
  | { readonly kind: "not_utf8"; readonly line: number }
  | { readonly kind: "endless_line"; readonly line: number; readonly maxBytes: number }
  | { readonly kind: "rejects_exist"; readonly path: string }
  | { readonly kind: "rejects_not_written"; readonly why: string }
  // The header
  | { readonly kind: "no_header" | "carriage_returns" }
  | { readonly kind: "unreadable_header"; readonly line: number; readonly mistake: string }
  | { readonly kind: "too_many_columns"; readonly count: number; readonly max: number }
  | { readonly kind: "repeated_column"; readonly column: string }
  | ColumnProblem;

/** The columns of a file are not those of animals. */
export type ColumnProblem = { readonly columns: readonly string[] } & (
  | { readonly kind: "assigned_ids" }
  | { readonly kind: "unknown_column"; readonly column: string }
  | { readonly kind: "missing_column"; readonly field: string; readonly column: string }
);

/** Thrown while a file is read; importAnimals() returns its problem as a refusal. */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";

  constructor(readonly problem: FileProblem) {
    super(problem.kind);
  }
}
