import type { Animal } from "../domain/stock/animal.ts";

// Animals as text, in the formats that `animals import` reads. What is written restores a store exactly: nothing is
// added to a name, not even to one that a spreadsheet would take for a formula.

export const EXPORT_FORMATS = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface LineFormat {
  /** What comes before the first animal. */
  readonly header: string;
  line(animal: Animal): string;
}

const FIELDS = ["id", "name", "categoryId", "status"] as const satisfies readonly (keyof Animal)[];

export const LINE_FORMATS: Readonly<Record<ExportFormat, LineFormat>> = {
  csv: {
    header: `${FIELDS.join(",")}\n`,
    line: ({ id, name, categoryId, status }) => `${id},${csvText(name)},${categoryId},${status}\n`,
  },
  ndjson: {
    header: "",
    line: ({ id, name, categoryId, status }) =>
      `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}\n`,
  },
};

/** RFC 4180; and some programs drop spaces at the ends of a text that has no quotes. */
const csvText = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$|^$/;
