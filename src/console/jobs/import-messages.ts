import { OperatorError } from "../../base/operator-error.ts";
import type { ImportRefusal } from "../../bulk/import.ts";
import { type ImportNouns, textOfImportRefusal } from "../../bulk/wording.ts";
import { StoreUnavailable } from "../../store/ports/store.ts";
import type { ImportRemedy, ImportWorkView } from "../api/index.ts";
import { sentence } from "../fault.ts";

// Why an import or an undo has ended early, in the words of the pages.

type Running = Pick<ImportWorkView, "name" | "step">;

export const stoppedText = (work: Running): string => `It was stopped. ${goOnWith(work)}`;

export const refusedWith = (reason: ImportRefusal, source: string) => ({
  message: sentence(textOfImportRefusal(reason, nounsFor(source))),
  remedies: REMEDIES[reason.kind] ?? [],
  columns: "columns" in reason ? reason.columns.filter(canBeChosen).slice(0, COLUMNS_SHOWN) : [],
});

/** A page is sent no more columns, and none with a longer name. */
const COLUMNS_SHOWN = 200;
const COLUMN_MAX_CHARACTERS = 200;
const canBeChosen = (column: string): boolean => column.trim() !== "" && column.length <= COLUMN_MAX_CHARACTERS;

const REMEDIES: Readonly<Partial<Record<ImportRefusal["kind"], readonly ImportRemedy[]>>> = {
  invalid_lines: ["skipInvalid"],
  already_imported: ["again"],
  not_empty: ["keepIds"],
  assigned_ids: ["keepIds"],
};

const nounsFor = (source: string): ImportNouns => ({
  source: `“${source}”`,
  rejectedIn: "the report",
  elsewhere: undefined,
  leaveOut: "with “Leave out invalid lines”",
  again: "choose “Import again”",
  keepIds: "“Keep ids”",
  undo: () => "with “Undo”",
  imports: "the list of imports",
  columns: {
    assigned_ids: () => "choose the columns to read below",
    unknown_column: () => "choose the columns to read below, and the others are left out",
    missing_column: () => "choose the column that it is below",
  },
});

export function failedText(error: unknown, work: Running): string {
  if (error instanceof OperatorError) return sentence(error.message);
  return error instanceof StoreUnavailable
    ? `The database did not answer. ${goOnWith(work)}`
    : `Something went wrong; the service log has the details. ${goOnWith(work)}`;
}

const goOnWith = ({ step }: Running): string =>
  step === "undo" ? "Undo it again to go on." : "Import the same file again to go on.";
