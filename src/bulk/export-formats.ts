import type { Animal } from "../domain/stock/animal.ts";

// Animals as text, in the formats that an import reads. An export restores a store exactly: nothing is added to a name,
// not even to one that a spreadsheet would take for a formula.

export const EXPORT_FORMATS = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const FIELDS = ["id", "name", "categoryId", "status"] as const satisfies readonly (keyof Animal)[];

/** The text before the first animal, and that of each. */
export const LINE_FORMATS: Readonly<Record<ExportFormat, { header: string; line: (animal: Animal) => string }>> = {
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

/** RFC 4180. Quotes also protect spaces at the ends, which some programs drop. */
const csvText = (text: string): string => (NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$|^$/;
