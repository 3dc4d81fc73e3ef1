import { expect, test } from "bun:test";
import type { Import } from "../domain/stock/import.ts";
import type { ImportRefusal } from "./import.ts";
import { type ImportNouns, textOfImportRefusal } from "./wording.ts";

const NOUNS: ImportNouns = {
  source: "pets.csv",
  rejectedIn: "the report",
  elsewhere: "choose another place",
  leaveOut: "with SKIP",
  again: "say AGAIN",
  keepIds: "KEEP",
  undo: (id) => `with UNDO ${id}`,
  imports: "the list",
  columns: {
    assigned_ids: (columns) => `drop ${columns[0]}`,
    unknown_column: (columns) => `choose of ${columns.length}`,
    missing_column: () => "name it",
  },
};

const IMPORT = { id: 3n, added: 2 } as Import;

const SENTENCES: readonly (readonly [ImportRefusal, string])[] = [
  [
    { kind: "already_imported", earlier: IMPORT },
    "pets.csv was imported already, by import 3, which has added 2 animals: to add them once more, say AGAIN",
  ],
  [{ kind: "cannot_open", why: "permission is denied" }, "cannot read pets.csv: permission is denied"],
  [{ kind: "changed" }, "pets.csv has changed since it was validated: import it again when nobody writes to it"],
  [
    { kind: "changed", import: { ...IMPORT, added: 1 } },
    "pets.csv has changed since it was validated, when import 3 had added 1 animal: remove it with UNDO 3, and then import it again when nobody writes to it",
  ],
  [{ kind: "foreign_format", format: "zip" }, "pets.csv is a zip archive: unpack it first"],
  [{ kind: "not_utf8", line: 3 }, "line 3 of pets.csv is not valid UTF-8: save the file as UTF-8, and import it again"],
  [
    { kind: "rejects_exist", path: "a.rejected.csv" },
    "a.rejected.csv already exists: move it away, or choose another place",
  ],
  [
    { kind: "rejects_not_written", why: "no room" },
    "cannot write the report: no room. To avoid this, choose another place",
  ],
  [
    { kind: "assigned_ids", columns: ["id"] },
    "pets.csv has ids, and the service assigns them: drop id, or restore an export into an empty store with KEEP",
  ],
  [
    { kind: "unknown_column", column: "colour", columns: ["name", "colour"] },
    'pets.csv has the column "colour", which is not a field of an animal (name, categoryId, status): choose of 2',
  ],
  [
    { kind: "missing_column", field: "name", column: "Name", columns: Array.from("abcdefghijkl") },
    'pets.csv has no column "Name" for name, only "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", …: name it',
  ],
];

for (const [reason, text] of SENTENCES) test(reason.kind, () => expect(textOfImportRefusal(reason, NOUNS)).toBe(text));
