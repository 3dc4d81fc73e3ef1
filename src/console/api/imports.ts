import type { Import, ImportState } from "../../domain/stock/import.ts";

/**
 * POST /console/api/imports?name=file.csv&dryRun=true|false&skipInvalid=&again=&keepIds= with the file as its body: 202
 * with the running work; with nameColumn=, categoryIdColumn=, statusColumn= and idColumn= just these columns are read; with &from={work} and without a body, the file of an earlier work once more, such as a dry run.
 * GET /console/api/imports/{work} tells how far it is; GET /console/api/imports/works lists those that this instance
 * knows, the newest first, for whoever comes back to the page; GET …/{work}/rejected downloads the reasons of what was
 * rejected, …/{work}/rejected-lines the lines themselves, to be mended and imported again; DELETE
 * stops it where it can be continued. POST /console/api/imports/{id}/undo with a ConfirmedForm (the name of the file)
 * removes what an import has added: 202 with the running work. One at a time (409).
 */
export interface ImportWorkView {
  readonly work: string;
  readonly name: string;
  readonly isDryRun: boolean;
  readonly isUndo: boolean;
  readonly step: "upload" | "validate" | "add" | "undo" | "done" | "refused";
  readonly done: number;
  readonly total: number | null;
  readonly animals: number;
  readonly rejected: number;
  /** The rejected ones for whose reasons the report had no room, and for whose lines the other file had none. */
  readonly unreported: number;
  readonly linesLeftOut: number;
  /** The first few lines that are no animals, with their reasons. */
  readonly rejects: readonly { readonly line: number; readonly reason: string; readonly text: string }[];
  /** Why it was refused: a sentence. */
  readonly message: string | null;
  /** The choices with which it is not refused again. */
  readonly remedies: readonly ImportRemedy[];
  /** The columns of the file if it was refused for them, so that people can choose the ones to read. */
  readonly columns: readonly string[];
  readonly importId: string | null;
  /** True: the file is still here, for another work with `from`. */
  readonly hasFile: boolean;
}

export type ImportRemedy = "skipInvalid" | "again" | "keepIds";

/** GET /console/api/imports: those that the store knows, the newest first. */
export interface ImportView extends Pick<Import, "source" | "animals" | "added" | "begunAtMs"> {
  readonly id: string;
  readonly state: ImportState;
}
