import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../base/json/int64.ts";
import { mistakeInText, NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";
import { ANIMAL_STATUSES, type NewAnimal } from "../../domain/stock/animal.ts";
import type { Category } from "../../domain/stock/category.ts";
import { fold } from "../../domain/stock/fold.ts";
import { EXPORT_FORMATS, LINE_FORMATS } from "../export-formats.ts";
import { type FileProblem, UnusableFile } from "../file-problem.ts";
import { CategoryNames } from "./category-names.ts";
import type { ColumnMap, ColumnOptions } from "./columns.ts";
import { AnimalReader, type Reading } from "./readings.ts";
import type { Source } from "./source.ts";
import { LINE_MAX_BYTES } from "./text.ts";

/** A file whose bytes arrive in pieces of these sizes, over and over. */
const sourceOf = (bytes: Uint8Array, sizes: readonly number[] = [64 * 1024]): Source => ({
  name: "animals.csv",
  async *blocks() {
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const size = sizes[i % sizes.length] as number;
      yield bytes.subarray(at, at + size);
      at += size;
    }
  },
  close: async () => {},
});

type Content = string | Uint8Array;
const bytesOf = (content: Content): Uint8Array => (typeof content === "string" ? Buffer.from(content) : content);

const CATEGORIES: readonly Category[] = [
  { id: 7n, name: "Dogs" },
  { id: INT64_MIN, name: "Élan" },
  { id: 3n, name: "2nd hand" },
];
const findByNames = (folded: readonly string[]) => CATEGORIES.filter(({ name }) => folded.includes(fold(name)));

async function read(content: Content, options: Partial<ColumnOptions> = {}, sizes?: readonly number[]) {
  const categories = new CategoryNames({ findByNames });
  const reader = new AnimalReader(sourceOf(bytesOf(content), sizes), { keepIds: false, ...options }, categories);
  const readings: Reading[] = [];
  for await (const some of reader.readings()) readings.push(...some);
  return { readings, reader };
}

const animalsOf = (readings: readonly Reading[]) =>
  readings.flatMap((reading) => (reading.kind === "animal" ? [reading.animal] : []));
const rejectsOf = (readings: readonly Reading[]) =>
  readings.flatMap((reading) =>
    reading.kind === "rejected" ? [[reading.line, reading.lastLine, reading.reason]] : [],
  );

const animalsIn = async (content: Content, options?: Partial<ColumnOptions>, sizes?: readonly number[]) =>
  animalsOf((await read(content, options, sizes)).readings);
const rejectsIn = async (content: Content, options?: Partial<ColumnOptions>) =>
  rejectsOf((await read(content, options)).readings);
const problemWith = async (content: Content, options?: Partial<ColumnOptions>): Promise<FileProblem> => {
  const error = await read(content, options).catch((thrown: unknown) => thrown);
  if (!(error instanceof UnusableFile)) throw new Error("the file was read");
  return error.problem;
};

const mapOf = (...pairs: ["id" | "name" | "categoryId" | "status", string][]): ColumnMap => new Map(pairs);

const possibleNames = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .filter((name) => mistakeInText(name, NAME_MAX_CODE_POINTS) === undefined);
const newAnimals = fc.record({
  name: fc.oneof(possibleNames, fc.constantFrom('Rex, "Jr"', '"', '""', " a ", "a,b", "\ufeffa", "x'y", "#")),
  categoryId: fc.oneof(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), fc.constantFrom(INT64_MIN, 0n, INT64_MAX)),
  status: fc.constantFrom(...ANIMAL_STATUSES),
});
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe("what is read", () => {
  test("is what was exported, in either format, packed or not, however the bytes arrive", async () => {
    const cases = fc.tuple(
      fc.array(newAnimals, { maxLength: 12 }),
      fc.constantFrom(...EXPORT_FORMATS),
      sizes,
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([animals, format, pieces, isPacked]) => {
        const { header, line } = LINE_FORMATS[format];
        const known = animals.map((animal, i) => ({ id: BigInt(3 * i + 1), ...animal }));
        const text = header + known.map(line).join("");
        fc.pre(text !== "");
        const content = isPacked ? gzipSync(text) : text;
        const restored = await animalsIn(content, { keepIds: true }, pieces);
        expect(restored).toEqual(known);
        const map = mapOf(["name", "name"], ["categoryId", "categoryId"], ["status", "status"]);
        expect(await animalsIn(content, { map }, pieces)).toEqual(animals);
      }),
      { numRuns: 150 },
    );
  });

  test("every line is an animal or rejected, never both, with its number, however the bytes arrive", async () => {
    const cells = fc.array(
      fc.constantFrom("Rex", "7", "sold", "", '"a\nb"', '"a\r\nb"', '"', 'x"y', "1.0", "é", '"q""q"'),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const lines = fc.array(cells, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lines, sizes, fc.constantFrom("\n", "\r\n"), async (rows, pieces, end) => {
        const text = `name,categoryId,status${end}${rows.map((row) => row.join(",")).join(end)}${end}`;
        const whole = await read(text);
        const split = await read(text, {}, pieces);
        expect(split.readings).toEqual(whole.readings);
        expect(split.reader.identity).toBe(whole.reader.identity);
        let last = 1;
        for (const [line, lastLine] of rejectsOf(whole.readings) as [number, number, string][]) {
          expect(line).toBeGreaterThan(last);
          expect(lastLine).toBeGreaterThanOrEqual(line);
          last = lastLine;
        }
        expect(last).toBeLessThanOrEqual(text.split("\n").length);
      }),
      { numRuns: 300 },
    );
  });

  const REX: NewAnimal = { name: "Rex", categoryId: 7n, status: "available" };

  test.each([
    ["CSV", "name,categoryId\nRex,7\n"],
    ["CSV without an end of the last line", "name,categoryId\nRex,7"],
    ["CSV with CR LF", "name,categoryId\r\nRex,7\r\n"],
    ["CSV with a byte order mark", "\ufeffname,categoryId\nRex,7\n"],
    ["CSV with quotes", '"name","categoryId"\n"Rex","7"\n'],
    ["CSV with quotes and CR LF", '"categoryId","name"\r\n"7","Rex"\r\n'],
    ["an empty status", "status,name,categoryId\n,Rex,7\n"],
    ["empty lines", "\nname,categoryId\n\nRex,7\n\n\n"],
    ["integers as JSON may write them", "name,categoryId\nRex,7.0\n"],
    ["with an exponent", "name,categoryId\nRex,70e-1\n"],
    ["NDJSON", '{"name":"Rex","categoryId":7}\n'],
    ["NDJSON with a byte order mark, CR LF and empty lines", '\ufeff\r\n{"name":"Rex","categoryId":7.0}\r\n\r\n'],
    ["gzip of CSV", gzipSync("name,categoryId\nRex,7\n")],
    ["gzip in two parts", Buffer.concat([gzipSync("name,categoryId\n"), gzipSync("Rex,7\n")])],
    ["gzip of NDJSON", gzipSync('{"name":"Rex","categoryId":7}')],
  ])("%s", async (_, content) => {
    expect(await animalsIn(content)).toEqual([REX]);
    expect(await animalsIn(content, {}, [1])).toEqual([REX]);
  });

  test("a large gzip, without a warning", async () => {
    const warnings: string[] = [];
    const listener = ({ message }: Error) => void warnings.push(message);
    process.on("warning", listener);
    const names = Array.from({ length: 40_000 }, () => crypto.randomUUID());
    const read = await animalsIn(gzipSync(`name,categoryId\n${names.map((name) => `${name},7\n`).join("")}`));
    expect(read.map(({ name }) => name)).toEqual(names);
    await Bun.sleep(0);
    process.off("warning", listener);
    expect(warnings).toEqual([]);
  });

  test("integers are exact", async () => {
    const lines = [INT64_MIN, INT64_MAX, 9_007_199_254_740_993n].map((id) => `a,${id}\n`);
    expect((await animalsIn(`name,categoryId\n${lines.join("")}`)).map(({ categoryId }) => categoryId)).toEqual([
      INT64_MIN,
      INT64_MAX,
      9_007_199_254_740_993n,
    ]);
  });

  test("cells between semicolons, tabs or bars, whichever the header has most of", async () => {
    for (const separator of [";", "\t", "|"]) {
      const row = (...cells: string[]): string => `${cells.join(separator)}\n`;
      const content = `${row("name", "categoryId", "status")}${row("Rex, Jr", "7", "sold")}${row(`"a${separator === "\t" ? "," : separator}""b"`, "7", "")}`;
      expect(await animalsIn(content)).toEqual([
        { name: "Rex, Jr", categoryId: 7n, status: "sold" },
        { name: `a${separator === "\t" ? "," : separator}"b`, categoryId: 7n, status: "available" },
      ]);
    }
    const map = mapOf(["name", "a,b;c"], ["categoryId", "Cat"]);
    expect(await animalsIn('"a,b;c",Cat\nRex,7\n', { map })).toEqual([REX]);
    expect(await animalsIn('"a,b;c";Cat\nRex;7\n', { map })).toEqual([REX]);
    expect(await rejectsIn("name;categoryId\nRex;7;8\n")).toEqual([
      [
        2,
        2,
        "The line has 3 cells, and the header has 2. Add or remove cells, and put text that has a semicolon in quotation marks.",
      ],
    ]);
  });

  test("categories by name, whatever its case, also when ids are kept", async () => {
    const content = 'name,categoryId\na,Dogs\nb,DOGS\nc,éLAN\nd,2nd hand\ne,12\n"f","dogs"\n';
    expect((await animalsIn(content)).map(({ categoryId }) => categoryId)).toEqual([7n, 7n, INT64_MIN, 3n, 12n, 7n]);
    expect(await animalsIn("id,name,categoryId\n1,a,dogs\n2,b,dogs\n", { keepIds: true })).toMatchObject([
      { id: 1n, categoryId: 7n },
      { id: 2n, categoryId: 7n },
    ]);
  });

  test("columns that the map names, and no others", async () => {
    const map = mapOf(["name", "Name"], ["categoryId", "Cat"]);
    expect(await animalsIn("id,Name,Notes,Cat\n1,Rex,good,7\n", { map })).toEqual([REX]);
    expect(await animalsIn('{"id":1,"Name":"Rex","Cat":7,"x":[1,{"y":2}]}\n', { map })).toEqual([REX]);
  });
});

describe("what is rejected", () => {
  test.each([
    [
      "Rex,seven,gone",
      2,
      2,
      '"categoryId" must be the number of a category or a name that one has, and none is called "seven". "status" must be one of available, pending, sold.',
    ],
    [
      "Rex,\u0000,sold",
      2,
      2,
      '"categoryId" must be the number of a category or a name that one has, and none is called "\\u0000".',
    ],
    [
      "Rex,9223372036854775808,sold",
      2,
      2,
      '"categoryId" must be an integer from -9223372036854775808 to 9223372036854775807, without quotes.',
    ],
    [
      "Rex,007,sold",
      2,
      2,
      '"categoryId" must be an integer from -9223372036854775808 to 9223372036854775807, without quotes.',
    ],
    ["Rex,,sold", 2, 2, '"categoryId" is missing. Add it to the line.'],
    [",7,sold", 2, 2, '"name" must not be empty or blank.'],
    ["Rex,7,gone", 2, 2, '"status" must be one of available, pending, sold.'],
    ['"R\nx",7,sold', 2, 3, '"name" must not contain control characters such as U+000A.'],
    [
      "Rex,7",
      2,
      2,
      "The line has 2 cells, and the header has 3. Add or remove cells, and put text that has a comma in quotation marks.",
    ],
    [
      '"Rex" Jr,7,sold\n"Mia",7,sold',
      2,
      2,
      "Text follows a closing quotation mark. Write a quotation mark that is part of a text twice, and put the text in quotation marks.",
    ],
    [
      'Mia,7,sold\n"Rex,7,sold\nTom,7,sold',
      3,
      3,
      "A quotation mark is not closed. Close it, or write it twice within quotation marks.",
    ],
  ])("CSV: %j", async (lines, line, lastLine, reason) => {
    const rejects = await rejectsIn(`name,categoryId,status\n${lines}\n`);
    expect(rejects.at(-1)).toEqual([line, lastLine, reason]);
  });

  test.each([
    ["{", "The line is not valid JSON. Write one JSON object."],
    ["7", "The line must be a JSON object."],
    [
      '{"name":"Rex","categoryId":"7"}',
      '"categoryId" must be an integer from -9223372036854775808 to 9223372036854775807, without quotes.',
    ],
    ['{"name":"Rex","categoryId":7,"x":1}', '"x" is not a field of this line. Remove it.'],
    ['{"name":"Rex","categoryId":7,"id":1}', '"id" is assigned by the service. Remove it.'],
    ['{"name":"Rex","name":"Mia","categoryId":7}', 'The line contains "name" more than once. Write it once.'],
    [`{"name":"${"x".repeat(17_000)}","categoryId":7}`, "The line is larger than 16384 bytes. Write a smaller one."],
    [
      `{"name":"Rex","categoryId":7,"x":[${"1,".repeat(70)}1]}`,
      "The line has more than 64 values. Write one flat JSON object.",
    ],
  ])("NDJSON: %j", async (line, reason) => {
    expect(await rejectsIn(`{"name":"Mia","categoryId":7}\n\n${line}\n`)).toEqual([[3, 3, reason]]);
  });

  test("ids that do not ascend, or are none, when they are kept", async () => {
    const lines = ["1,a,7", "3,b,7", "3,c,7", "2,d,7", ",e,7", "0,f,7", "x,g,7", "4,h,7", `${2n ** 63n - 1n},i,7`];
    const { readings, reader } = await read(`id,name,categoryId\n${lines.join("\n")}\n`, { keepIds: true });
    expect(animalsOf(readings).map((animal) => "id" in animal && animal.id)).toEqual([1n, 3n, 4n]);
    expect(rejectsOf(readings).map(([line]) => line)).toEqual([4, 5, 6, 7, 8, 10]);
    expect(rejectsOf(readings)[0]?.[2]).toBe('"id" must be greater than all ids before it, as in an export.');
    expect(reader.lastId).toBe(4n);
  });
});

describe("what ends it", () => {
  const UNKNOWN = ["name", "categoryId", "colour"];
  const columnsMissing = { kind: "missing_column", field: "categoryId", column: "categoryId" } as const;

  test.each<[string, Content, FileProblem]>([
    ["an empty file", "", { kind: "empty" }],
    ["only empty lines", "\n\n", { kind: "no_header" }],
    ["an unknown column", `${UNKNOWN}\n`, { kind: "unknown_column", column: "colour", columns: UNKNOWN }],
    ["a missing column", "name,status\n", { ...columnsMissing, columns: ["name", "status"] }],
    ["a column twice", "name,name,categoryId\n", { kind: "repeated_column", column: "name" }],
    ["ids", "id,name,categoryId\n", { kind: "assigned_ids", columns: ["id", "name", "categoryId"] }],
    ["ids in NDJSON", '{"id":1,"name":"Rex"}\n', { kind: "assigned_ids", columns: ["id", "name"] }],
    [
      "another separator",
      "name:categoryId\nRex:7\n",
      { kind: "unknown_column", column: "name:categoryId", columns: ["name:categoryId"] },
    ],
    ["carriage returns alone", "name,categoryId\rRex,7\r", { kind: "carriage_returns" }],
    ["a JSON array", '[{"name":"Rex"}]', { kind: "json_array" }],
    ["UTF-16", Buffer.from("\ufeffname", "utf16le"), { kind: "foreign_format", format: "UTF-16" }],
    ["a zip archive", Buffer.from("PK\u0003\u0004 and more"), { kind: "foreign_format", format: "zip" }],
    [
      "a damaged gzip",
      gzipSync("name,categoryId\n").subarray(0, 20),
      { kind: "damaged_gzip", why: "unexpected end of file" },
    ],
    ["Latin-1", Buffer.from("name,categoryId\nRex,7\nM\xfcller,7\n", "latin1"), { kind: "not_utf8", line: 3 }],
    ["a truncated character", Buffer.from("name,categoryId\nRex,7\nM\xc3", "latin1"), { kind: "not_utf8", line: 3 }],
    ["a line without end", "x".repeat(LINE_MAX_BYTES + 1), { kind: "endless_line", line: 1, maxBytes: LINE_MAX_BYTES }],
    [
      "too many columns",
      `${Array.from({ length: 1_001 }, (_, i) => `c${i}`).join(",")}\n`,
      { kind: "too_many_columns", count: 1_001, max: 1_000 },
    ],
  ])("%s", async (_, content, problem) => {
    expect(await problemWith(content)).toEqual(problem);
  });

  test("a column that the map names and the file has not", async () => {
    const map = mapOf(["name", "Name"], ["categoryId", "Cat"]);
    const columns = ["Name", "Category"];
    expect(await problemWith(`${columns}\n`, { map })).toEqual({ ...columnsMissing, column: "Cat", columns });
    expect(await problemWith("name,categoryId\n", { keepIds: true })).toMatchObject({ column: "id" });
    const withId = mapOf(["id", "Cat"], ["name", "Name"], ["categoryId", "Cat"]);
    expect(await problemWith("Name,Cat\n", { map: withId })).toMatchObject({ kind: "assigned_ids" });
  });
});

describe("the identity of a file", () => {
  const identityOf = async (content: Content, options: Partial<ColumnOptions> = {}) =>
    (await read(content, options)).reader.identity;

  test("depends on its content and on what is read of it, and on nothing else", async () => {
    const content = "name,categoryId,Cat\nRex,7,8\n";
    const map = mapOf(["name", "name"], ["categoryId", "categoryId"]);
    const same = await identityOf(content, { map });
    expect(await identityOf(gzipSync(content), { map })).toBe(same);
    expect(await identityOf(content, { map: mapOf(["categoryId", "categoryId"], ["name", "name"]) })).toBe(same);
    expect(await identityOf(content, { map: mapOf(["name", "name"], ["categoryId", "Cat"]) })).not.toBe(same);
    expect(await identityOf(`${content}\n`, { map })).not.toBe(same);
    const plain = "name,categoryId\nRex,7\n";
    expect(await identityOf(plain)).toBe(await identityOf(plain, { map }));
  });
});
