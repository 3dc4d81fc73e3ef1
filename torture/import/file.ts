import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ANIMAL_STATUSES } from "../../src/domain/stock/animal.ts";
import type { Random } from "../common/random.ts";
import type { Contents, FoundAnimal } from "../ledger/contents.ts";

const NAMES = ["Rex", 'Mia "the cat"', "Tom, Jerry", "Zoë", "犬", "O'Hara; DROP TABLE animals", "👩‍🚀", "\\N\\t"];
const CATEGORIES = [0n, 7n, -1n, 2n ** 63n - 1n, -(2n ** 63n)];
const INVALID_SHARE = 0.03;

/** The animal that a valid line must become. */
export interface Line {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
}

/** A file of animals, with its contents. */
export interface ImportFile {
  readonly path: string;
  /** The prefix of its animals' names. */
  readonly label: string;
  /** One entry for each record, in the order of the file; undefined for an invalid one. */
  readonly records: readonly (Line | undefined)[];
  readonly isCsv: boolean;
  /** True if it is read from standard input. */
  readonly isPiped: boolean;
}

/** The handle of a record's animal, by the record's index. */
export const handleIn = ({ label }: Pick<ImportFile, "label">, record: number): string => `${label} #${record}`;

/** Writes a file in one of the formats, sometimes with invalid lines. */
export function writeImportFile(folder: string, label: string, count: number, random: Random): ImportFile {
  const [isCsv, isCompressed, hasInvalid] = [random.chance(0.5), random.chance(0.4), random.chance(0.4)];
  const records = Array.from({ length: count }, (_, i): Line | undefined =>
    hasInvalid && random.chance(INVALID_SHARE)
      ? undefined
      : {
          name: `${handleIn({ label }, i)} ${random.pick(NAMES)}`,
          categoryId: random.pick(CATEGORIES),
          status: random.pick(ANIMAL_STATUSES),
        },
  );
  const lines = records.map((line) => (isCsv ? csvLine(line) : jsonLine(line, random)));
  const text = `${[...(isCsv ? ["name,categoryId,status"] : []), ...lines].join("\n")}\n`;
  const path = join(folder, `${label}.${isCsv ? "csv" : "ndjson"}${isCompressed ? ".gz" : ""}`);
  writeFileSync(path, isCompressed ? gzipSync(text) : text);
  return { path, label, records, isCsv, isPiped: random.chance(0.2) };
}

function csvLine(line: Line | undefined): string {
  if (!line) return "nameless,not a number,available";
  return `"${line.name.replaceAll('"', '""')}",${line.categoryId},${line.status}`;
}

function jsonLine(line: Line | undefined, random: Random): string {
  if (!line) return random.pick(['{"name":"no category"}', '{"name":', '{"name":" ","categoryId":1}']);
  return `{"name":${JSON.stringify(line.name)},"categoryId":${line.categoryId},"status":"${line.status}"}`;
}

/** The numbers of its invalid lines, which the file of rejected lines must have. */
export const invalidLinesOf = ({ records, isCsv }: ImportFile): number[] =>
  records.flatMap((line, i) => (line ? [] : [i + (isCsv ? 2 : 1)]));

/** Separates the animals of a file from all others. */
export function split(
  { animals }: Contents,
  { label }: ImportFile,
): Record<"imported" | "others", Contents["animals"]> {
  const { imported = [], others = [] } = Object.groupBy(animals, ([handle]) =>
    handle.startsWith(`${label} #`) ? "imported" : "others",
  );
  return { imported: new Map(imported), others: new Map(others) };
}

/** Finds mistakes after this many records were imported: each valid one must exist exactly once. */
export function* mistakesIn(
  file: ImportFile,
  found: ReadonlyMap<string, readonly FoundAnimal[]>,
  recordsDone: number,
): Generator<string> {
  for (const [record, line] of file.records.entries()) {
    const handle = handleIn(file, record);
    const [first, ...copies] = found.get(handle) ?? [];
    const expected = record < recordsDone ? line : undefined;
    if (copies.length > 0) yield `${handle} is there ${copies.length + 1} times`;
    if (first && !expected) yield `${handle} is there, and was not imported`;
    if (!first && expected) yield `${handle} is lost`;
    if (first && expected && textOf(first) !== textOf(expected))
      yield `${textOf(first)} instead of ${textOf(expected)}`;
  }
}

const textOf = ({ name, categoryId, status }: Line): string => `${name}, ${categoryId}, ${status}`;

/** The number of valid ones among the first records. */
export const animalsIn = ({ records }: ImportFile, recordsDone: number): number =>
  records.slice(0, recordsDone).filter((line) => line !== undefined).length;
