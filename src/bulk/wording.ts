import { countOf, formatNumber, quote } from "../base/text/text.ts";
import type { ColumnProblem, FileProblem, ForeignFormat, HeaderProblem } from "./file-problem.ts";
import type { ImportRefusal } from "./import.ts";
import { NEW_FIELDS } from "./reading/columns.ts";

// Words the refusals of an import in one line, with the nouns of the command line or of the console.

/** Names of things for the reader, and remedies that the reader has. */
export interface ImportNouns {
  /** The file. */
  readonly source: string;
  /** The place of the rejected lines. */
  readonly rejectedIn: string;
  /** How to put them elsewhere; undefined where nobody chooses that. */
  readonly elsewhere: string | undefined;
  /** How to leave them out; undefined where that is not the question. */
  readonly leaveOut: string | undefined;
  readonly again: string;
  readonly keepIds: string;
  readonly undo: (importId: bigint) => string;
  /** The list of all imports. */
  readonly imports: string;
  /** The remedy for each problem with columns, given those of the file. */
  readonly columns: Readonly<Record<ColumnProblem["kind"], (columns: readonly string[]) => string>>;
}

export function textOfImportRefusal(reason: ImportRefusal, nouns: ImportNouns): string {
  const { source } = nouns;
  switch (reason.kind) {
    case "invalid_lines": {
      const { rejectedLines, animals, first } = reason;
      const many = `${formatNumber(rejectedLines)} of ${countOf(rejectedLines + animals, "line")}`;
      const [are, all] = rejectedLines === 1 ? ["is", "It is"] : ["are", "All of them are"];
      const them = itOrThem(rejectedLines);
      const leaveOut = nouns.leaveOut === undefined ? "" : `, or leave ${them} out ${nouns.leaveOut}`;
      return `${many} ${are} invalid, so nothing was written: line ${first.line}: ${first.reason} ${all} in ${nouns.rejectedIn}. Correct ${them}${leaveOut}`;
    }
    case "already_imported": {
      const { id, added } = reason.earlier;
      return `${source} was imported already, by import ${id}, which has added ${countOf(added, "animal")}: to add ${itOrThem(added)} once more, ${nouns.again}`;
    }
    case "not_empty":
      return `there are animals in this store, and ${nouns.keepIds} restores an export only into one without: use a new database, or import without ids`;
    case "overtaken":
      return `import ${reason.import.id} was continued or undone by another process: see ${nouns.imports}`;
    default:
      return textOfFileProblem(reason, nouns);
  }
}

function textOfFileProblem(problem: FileProblem, nouns: ImportNouns): string {
  const { source } = nouns;
  switch (problem.kind) {
    case "cannot_open":
      return `cannot read ${source}: ${problem.why}`;
    case "folder":
      return `${source} is a folder: name a file in it`;
    case "cannot_spool":
      return `cannot keep the input in ${problem.folder}: ${problem.why}. Set TMPDIR to a folder with room for it`;
    case "changed": {
      if (!problem.import)
        return `${source} has changed since it was validated: import it again when nobody writes to it`;
      const { id, added } = problem.import;
      return `${source} has changed since it was validated, when import ${id} had added ${countOf(added, "animal")}: remove ${itOrThem(added)} ${nouns.undo(id)}, and then import it again when nobody writes to it`;
    }
    case "empty":
      return `${source} is empty: it must have a header or a line of NDJSON at least`;
    case "foreign_format":
      return `${source} is ${FOREIGN[problem.format]}`;
    case "damaged_gzip":
      return `${source} cannot be unpacked: ${problem.why}. It is damaged or incomplete: get it again`;
    case "not_utf8":
      return `line ${problem.line} of ${source} is not valid UTF-8: save the file as UTF-8, and import it again`;
    case "endless_line":
      return `line ${problem.line} of ${source} does not end within ${problem.maxBytes} bytes: is it CSV or NDJSON?`;
    case "json_array":
      return `${source} is a JSON array: write one object per line, for example with jq -c '.[]'`;
    case "rejects_exist":
      return `${nouns.rejectedIn} already exists: move it away${nouns.elsewhere ? `, or ${nouns.elsewhere}` : ""}`;
    case "rejects_not_written":
      return `cannot write ${nouns.rejectedIn}: ${problem.why}${nouns.elsewhere ? `. To avoid this, ${nouns.elsewhere}` : ""}`;
    default:
      return textOfHeader(problem, nouns);
  }
}

const FOREIGN: Readonly<Record<ForeignFormat, string>> = {
  zip: "a zip archive: unpack it first",
  zstd: "compressed with zstd: unpack it first with zstd -d, or compress it with gzip",
  xz: "compressed with xz: unpack it first with xz -d, or compress it with gzip",
  bzip2: "compressed with bzip2: unpack it first with bzip2 -d, or compress it with gzip",
  "UTF-16": "UTF-16: save it as UTF-8",
};

function textOfHeader(problem: HeaderProblem, { source, keepIds, columns }: ImportNouns): string {
  switch (problem.kind) {
    case "no_header":
      return `${source} has no header: its first line must name the columns`;
    case "unreadable_header":
      return `the header of ${source}, line ${problem.line}, cannot be read: ${problem.mistake}`;
    case "carriage_returns":
      return `the lines of ${source} end with a carriage return alone: save it with line feeds`;
    case "too_many_columns":
      return `${source} has ${problem.count} columns: it may have ${problem.max} at most`;
    case "repeated_column":
      return `${source} has the column ${quote(problem.column)} more than once: rename one of them`;
    case "other_separator":
      return `${source} must be CSV, whose cells are separated by commas, and its header is ${quote(problem.header)}: save it with commas`;
    case "assigned_ids":
      return `${source} has ids, and the service assigns them: ${columns.assigned_ids(problem.columns)}, or restore an export into an empty store with ${keepIds}`;
    case "unknown_column":
      return `${source} has the column ${quote(problem.column)}, which is not a field of an animal (${NEW_FIELDS.join(", ")}): ${columns.unknown_column(problem.columns)}`;
    case "missing_column": {
      const { field, column } = problem;
      const there = problem.columns.slice(0, COLUMNS_SHOWN).map(quote).join(", ");
      const only = problem.columns.length > COLUMNS_SHOWN ? `${there}, …` : there;
      return `${source} has no column ${quote(column)}${field === column ? "" : ` for ${field}`}, only ${only}: ${columns.missing_column(problem.columns)}`;
    }
  }
}

const COLUMNS_SHOWN = 10;

export const itOrThem = (count: number): string => (count === 1 ? "it" : "them");
