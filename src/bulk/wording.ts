import { countOf, formatNumber } from "../base/text/text.ts";
import type { ImportRefusal } from "./import.ts";

// Why an import was refused, for the command line and for the console: as one line.

/** What whoever is told can do about it. */
export interface ImportWords {
  /** What was to be imported. */
  readonly source: string;
  /** Where all rejected lines are. */
  readonly rejectedIn: string;
  /** How they are left out; undefined: that is not the question. */
  readonly leaveOut: string | undefined;
  readonly again: string;
  readonly keepIds: string;
  readonly undo: (importId: bigint) => string;
  /** Where all imports are listed. */
  readonly imports: string;
}

export function textOfImportRefusal(reason: ImportRefusal, words: ImportWords): string {
  switch (reason.kind) {
    case "invalid_lines": {
      const { rejectedLines, animals, first } = reason;
      const many = `${formatNumber(rejectedLines)} of ${countOf(rejectedLines + animals, "line")}`;
      const [are, all] = rejectedLines === 1 ? ["is", "It is"] : ["are", "All of them are"];
      const them = itOrThem(rejectedLines);
      const leaveOut = words.leaveOut === undefined ? "" : `, or leave ${them} out ${words.leaveOut}`;
      return `${many} ${are} invalid, so nothing was written: line ${first.line}: ${first.reason} ${all} in ${words.rejectedIn}. Correct ${them}${leaveOut}`;
    }
    case "changed": {
      const { id, added } = reason.import;
      return `${words.source} has changed since it was validated, when import ${id} had added ${countOf(added, "animal")}: remove ${itOrThem(added)} ${words.undo(id)}, and then import it again when nobody writes to it`;
    }
    case "already_imported":
      return `${words.source} was imported already, by import ${reason.earlier.id}, which has added ${countOf(reason.earlier.added, "animal")}: to add ${itOrThem(reason.earlier.added)} once more, ${words.again}`;
    case "not_empty":
      return `there are animals in this store, and ${words.keepIds} restores an export only into one without: use a new database, or import without ids`;
    case "overtaken":
      return `another process goes on with import ${reason.import.id}, or has undone it: see ${words.imports}`;
  }
}

export const itOrThem = (count: number): string => (count === 1 ? "it" : "them");
