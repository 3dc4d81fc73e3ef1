import { optional } from "../../base/json/fields.ts";
import { type ColumnMap, FIELD_NAMES } from "../../bulk/reading/columns.ts";
import { type Import, stateOfImport } from "../../domain/stock/import.ts";
import type { ImportView } from "../api/index.ts";
import { ConsoleFault, notFound } from "../fault.ts";
import { CONFIRMED_FORM, isSameName, wrongName } from "../forms/confirmation.ts";
import { flagField, idIn, type Query, textIn, withForm, withQuery } from "../forms/forms.ts";
import type { ConsoleHandler } from "../handler.ts";
import { asDownload } from "../jobs/download.ts";
import { fileFault } from "../jobs/upload.ts";
import { authorOf } from "./author.ts";

const IMPORTS_SHOWN = 100;

/** The newest first. */
export const listImports: ConsoleHandler = async ({ store }): Promise<readonly ImportView[]> =>
  (await store.imports.list(IMPORTS_SHOWN)).map(viewOf);

function viewOf(each: Import): ImportView {
  const { source, animals, added, begunAtMs } = each;
  return { id: String(each.id), source, state: stateOfImport(each), animals, added, begunAtMs };
}

const accepted = (work: object | ConsoleFault): Response | ConsoleFault =>
  work instanceof ConsoleFault ? work : Response.json(work, { status: 202 });

const FLAG = optional(flagField, false);
const FLAGS = { dryRun: FLAG, skipInvalid: FLAG, again: FLAG, keepIds: FLAG };

/** The columns to read, by the names of their fields with "Column" behind; undefined: those that are named like fields. */
function mapIn(query: Query): ColumnMap | undefined {
  const chosen = FIELD_NAMES.flatMap((field) => {
    const column = query.get(`${field}Column`);
    return column ? [[field, column] as const] : [];
  });
  return chosen.length === 0 ? undefined : new Map(chosen);
}

/** Imports the file in the body, or with `from` that of an earlier job. */
export const beginImport = withQuery(FLAGS, async ({ imports }, session, flags, { query, request, hasSession }) => {
  const wanted = { ...flags, map: mapIn(query), author: authorOf(session), isAllowed: hasSession };
  const from = textIn(query, "from");
  if (from !== undefined) return accepted(await imports.beginFrom(from, wanted));
  if (!request.body) return NO_FILE;
  return accepted(await imports.begin(textIn(query, "name"), request.body, wanted));
});

const NO_FILE = fileFault(400, "missing_field", "No file was sent. Choose one.");

/** Lets a person who comes back to the page find their imports. */
export const listWorks: ConsoleHandler = ({ imports }) => imports.views;

export const showWork: ConsoleHandler = ({ imports }, _, { params: { id = "" } }) => imports.view(id) ?? NO_SUCH_WORK;

export const stopWork: ConsoleHandler = ({ imports }, _, { params: { id = "" } }) => imports.stop(id) ?? NO_SUCH_WORK;

/** The report on rejected lines, with reasons. */
export const downloadRejected: ConsoleHandler = ({ imports }, _, { params: { id = "" } }) =>
  downloadOf(imports.rejected(id), "text/plain");

/** The rejected lines as they are in the file. */
export const downloadRejectedLines: ConsoleHandler = ({ imports }, _, { params: { id = "" } }) => {
  const lines = imports.rejectedLines(id);
  return downloadOf(lines, lines?.path.endsWith(".csv") ? "text/csv" : "application/x-ndjson");
};

const downloadOf = (file: { readonly path: string; readonly name: string } | undefined, type: string) =>
  file ? new Response(Bun.file(file.path), { headers: asDownload(file.name, `${type}; charset=utf-8`) }) : NO_SUCH_WORK;

/** The name of the file has to be typed. */
export const undoImportOf = withForm(CONFIRMED_FORM, async ({ store, imports }, session, confirmed, call) => {
  const id = idIn(call);
  const found = id === undefined ? undefined : await store.imports.get(id);
  if (!found) return NO_SUCH_IMPORT;
  if (!isSameName(confirmed.name, found.source)) return wrongName("file", found.source);
  if (found.undoneAtMs !== undefined) return UNDONE_ALREADY;
  return accepted(await imports.undo(found.id, found.source, authorOf(session)));
});

const NO_SUCH_WORK = notFound(
  "import_not_found",
  "This import is not running here: the service has restarted, or another instance is running it. See the list of imports for its outcome.",
);
const NO_SUCH_IMPORT = notFound("import_not_found", "There is no import with this number. Go back to the list.");
const UNDONE_ALREADY = new ConsoleFault(
  409,
  "undone_already",
  "This import has already been undone. There is nothing left to do.",
);
