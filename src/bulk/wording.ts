import { type Sentences, sentenceFor } from "../base/text/sentences.ts";
import { countOf, formatNumber, quote } from "../base/text/text.ts";
import type { ColumnProblem, ForeignFormat } from "./file-problem.ts";
import type { ImportRefusal } from "./import.ts";
import { NEW_FIELDS } from "./reading/columns.ts";

// Words the refusals of an import in one line, with the nouns of the command line or of the console.

/** Names of things for the reader, and remedies that the reader has. */
export interface ImportNouns {
  /** The file. */
  readonly source: string;
  /** The place of the rejected lines. */
  readonly rejectedIn: string;
  /** The way to put them elsewhere; undefined where nobody chooses that. */
  readonly elsewhere: string | undefined;
  /** The way to leave them out; undefined where that is not the question. */
  readonly leaveOut: string | undefined;
  readonly again: string;
  readonly keepIds: string;
  readonly undo: (importId: bigint) => string;
  /** The list of all imports. */
  readonly imports: string;
  /** The remedy for each problem with columns, given those of the file. */
  readonly columns: Readonly<Record<ColumnProblem["kind"], (columns: readonly string[]) => string>>;
}

export const textOfImportRefusal = (reason: ImportRefusal, nouns: ImportNouns): string =>
  sentenceFor(reason, SENTENCES, nouns);

const SENTENCES: Sentences<ImportRefusal, ImportNouns> = {
  invalid_lines({ rejected, rejectedLines, unreported, animals, first }, { leaveOut, rejectedIn }) {
    const many = `${formatNumber(rejectedLines)} of ${countOf(rejectedLines + animals, "line")}`;
    const are = rejectedLines === 1 ? "is" : "are";
    const all =
      unreported > 0
        ? `The first ${formatNumber(rejected - unreported)} are`
        : rejectedLines === 1
          ? "It is"
          : "All of them are";
    const them = itOrThem(rejectedLines);
    const orLeaveOut = leaveOut === undefined ? "" : `, or leave ${them} out ${leaveOut}`;
    return `${many} ${are} invalid, so nothing was written: line ${first.line}: ${first.reason} ${all} in ${rejectedIn}. Correct ${them}${orLeaveOut}`;
  },
  already_imported: ({ earlier: { id, added } }, { source, again }) =>
    `${source} was imported already, by import ${id}, which has added ${countOf(added, "animal")}: to add ${itOrThem(added)} once more, ${again}`,
  not_empty: (_, { keepIds }) =>
    `there are animals in this store, and ${keepIds} restores an export only into one without: use a new database, or import without ids`,
  overtaken: (reason, { imports }) =>
    `import ${reason.import.id} was continued or undone by another process: see ${imports}`,

  // The file
  cannot_open: ({ why }, { source }) => `cannot read ${source}: ${why}`,
  folder: (_, { source }) => `${source} is a folder: name a file in it`,
  cannot_spool: ({ folder, why }) =>
    `cannot keep the input in ${folder}: ${why}. Set TMPDIR to a folder with room for it`,
  changed({ import: begun }, { source, undo }) {
    const changed = `${source} has changed since it was validated`;
    if (!begun) return `${changed}: import it again when nobody writes to it`;
    const { id, added } = begun;
    return `${changed}, when import ${id} had added ${countOf(added, "animal")}: remove ${itOrThem(added)} ${undo(id)}, and then import it again when nobody writes to it`;
  },
  empty: (_, { source }) => `${source} is empty: it must have a header or a line of NDJSON at least`,
  foreign_format: ({ format }, { source }) => `${source} is ${FOREIGN[format]}`,
  damaged_gzip: ({ why }, { source }) =>
    `${source} cannot be unpacked: ${why}. It is damaged or incomplete: get it again`,
  not_utf8: ({ line }, { source }) =>
    `line ${line} of ${source} is not valid UTF-8: save the file as UTF-8, and import it again`,
  endless_line: ({ line, maxBytes }, { source }) =>
    `line ${line} of ${source} does not end within ${maxBytes} bytes: is it CSV or NDJSON?`,
  json_array: (_, { source }) => `${source} is a JSON array: write one object per line, for example with jq -c '.[]'`,
  rejects_exist: ({ path }, { elsewhere }) =>
    `${path} already exists: move it away${elsewhere ? `, or ${elsewhere}` : ""}`,
  rejects_not_written: ({ why }, { rejectedIn, elsewhere }) =>
    `cannot write ${rejectedIn}: ${why}${elsewhere ? `. To avoid this, ${elsewhere}` : ""}`,

  // Its header
  no_header: (_, { source }) => `${source} has no header: its first line must name the columns`,
  unreadable_header: ({ line, mistake }, { source }) =>
    `the header of ${source}, line ${line}, cannot be read: ${mistake}`,
  carriage_returns: (_, { source }) =>
    `the lines of ${source} end with a carriage return alone: save it with line feeds`,
  too_many_columns: ({ count, max }, { source }) => `${source} has ${count} columns: it may have ${max} at most`,
  repeated_column: ({ column }, { source }) =>
    `${source} has the column ${quote(column)} more than once: rename one of them`,
  assigned_ids: (problem, { source, keepIds, columns }) =>
    `${source} has ids, and the service assigns them: ${columns.assigned_ids(problem.columns)}, or restore an export into an empty store with ${keepIds}`,
  unknown_column: (problem, { source, columns }) =>
    `${source} has the column ${quote(problem.column)}, which is not a field of an animal (${NEW_FIELDS.join(", ")}): ${columns.unknown_column(problem.columns)}`,
  missing_column(problem, { source, columns }) {
    const { field, column } = problem;
    const there = problem.columns.slice(0, COLUMNS_SHOWN).map(quote).join(", ");
    const only = problem.columns.length > COLUMNS_SHOWN ? `${there}, …` : there;
    return `${source} has no column ${quote(column)}${field === column ? "" : ` for ${field}`}, only ${only}: ${columns.missing_column(problem.columns)}`;
  },
};

const FOREIGN: Readonly<Record<ForeignFormat, string>> = {
  zip: "a zip archive: unpack it first",
  zstd: "compressed with zstd: unpack it first with zstd -d, or compress it with gzip",
  xz: "compressed with xz: unpack it first with xz -d, or compress it with gzip",
  bzip2: "compressed with bzip2: unpack it first with bzip2 -d, or compress it with gzip",
  "UTF-16": "UTF-16: save it as UTF-8",
};

const COLUMNS_SHOWN = 10;

export const itOrThem = (count: number): string => (count === 1 ? "it" : "them");
