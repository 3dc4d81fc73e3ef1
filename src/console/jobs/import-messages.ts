import { OperatorError } from "../../base/operator-error.ts";
import type { ImportRefusal } from "../../bulk/import.ts";
import { ColumnsDiffer } from "../../bulk/reading/columns.ts";
import { textOfImportRefusal } from "../../bulk/wording.ts";
import { StoreUnavailable } from "../../store/ports/store.ts";
import type { ImportRemedy, ImportWorkView } from "../api/index.ts";
import { sentence } from "../fault.ts";

// Why an import or an undo has ended early, as the person at the screen is told of it.

type Running = Pick<ImportWorkView, "name" | "step">;
type Ended = Pick<ImportWorkView, "message" | "remedies">;

export const stopped = (work: Running): Ended => ({ message: `It was stopped. ${goOnWith(work)}`, remedies: [] });

export const refusedWith = (reason: ImportRefusal, source: string): Ended => ({
  message: refusedText(reason, source),
  remedies: REMEDIES[reason.kind],
});

export const failedWith = (error: unknown, work: Running): Ended => ({
  message: failedText(error, work),
  remedies: error instanceof ColumnsDiffer && error.kind === "assigned_ids" ? ["keepIds"] : [],
});

const REMEDIES: Readonly<Record<ImportRefusal["kind"], readonly ImportRemedy[]>> = {
  invalid_lines: ["skipInvalid"],
  already_imported: ["again"],
  not_empty: ["keepIds"],
  changed: [],
  overtaken: [],
};

const refusedText = (reason: ImportRefusal, source: string): string =>
  sentenceOn(
    source,
    textOfImportRefusal(reason, {
      source,
      rejectedIn: "the report",
      leaveOut: "with “Leave out invalid lines”",
      again: "choose “Import again”",
      keepIds: "“Keep ids”",
      undo: () => "with “Undo”",
      imports: "the list of imports",
    }),
  );

function failedText(error: unknown, work: Running): string {
  if (error instanceof ColumnsDiffer) return sentenceOn(work.name, `${error.problem}: ${ADVICE[error.kind]}`);
  if (error instanceof OperatorError) return sentenceOn(work.name, error.message);
  return error instanceof StoreUnavailable
    ? `The database did not answer. ${goOnWith(work)}`
    : `Something unexpected happened, which the log of the service has. ${goOnWith(work)}`;
}

const goOnWith = ({ step }: Running): string =>
  step === "undo" ? "Undo it again to go on." : "Import the same file again to go on.";

/** A file that it begins with keeps its name as it is written. */
const sentenceOn = (source: string, text: string): string =>
  sentence(text.startsWith(source) ? `“${source}”${text.slice(source.length)}` : text);

/** The same advice, by what the pages have instead of options. */
const ADVICE: Readonly<Record<ColumnsDiffer["kind"], string>> = {
  assigned_ids: "remove that column, or restore an export into an empty store with “Keep ids”",
  unknown_column: "rename or remove that column",
  missing_column: "rename the column that it is",
};
