import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type CsvRow, csvRows } from "./csv.ts";
import { LINE_MAX_BYTES, type TextBlock } from "./text.ts";

/** Blocks of so many lines each. */
async function* blocksOf(text: string, lines: number): AsyncGenerator<TextBlock> {
  const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  for (let at = 0; at < all.length; at += lines) yield { text: all.slice(at, at + lines).join(""), line: at + 1 };
}

async function rowsIn(text: string, lines = 1_000_000): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const some of csvRows(blocksOf(text, lines))) {
    expect(some.length).toBeLessThanOrEqual(10_000);
    rows.push(...some);
  }
  return rows;
}

const inQuotes = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const ends = fc.constantFrom("\n", "\r\n");
const cells = fc.oneof(
  fc
    .string({ unit: fc.constantFrom('"', ",", ";", "\t", "\n", " ", "a", "é", "\ufeff"), maxLength: 8 })
    .map((cell) => ({
      cell,
      written: inQuotes(cell),
    })),
  fc.string({ unit: fc.constantFrom(" ", "a", "é", "\ufeff", "'"), minLength: 1, maxLength: 8 }).map((cell) => ({
    cell,
    written: cell,
  })),
);
const separators = fc.constantFrom(",", ";", "\t", "|");
const rows = fc.array(fc.array(cells, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 10 });

test("what was written is read, with its lines, however it is cut", () =>
  fc.assert(
    fc.asyncProperty(
      rows,
      separators,
      ends,
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      async (table, separator, end, isEnded, lines) => {
        const text =
          table.map((row) => row.map(({ written }) => written).join(separator)).join(end) + (isEnded ? end : "");
        const read = await rowsIn(text, lines);
        expect(read.map((row) => row.cells)).toEqual(table.map((row) => row.map(({ cell }) => cell)));
        let next = 1;
        for (const { line, lastLine, mistake } of read) {
          expect([line, mistake]).toEqual([next, undefined]);
          next = lastLine + 1;
        }
        expect(next).toBe(text.split("\n").length + (isEnded ? 0 : 1));
      },
    ),
  ));

test("whatever it is, every line is read once, and however it is cut", () =>
  fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('"', '""', ",", ";", "\n", "\r\n", "a", " "), maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      async (text, lines) => {
        const read = await rowsIn(text);
        expect(await rowsIn(text, lines)).toEqual(read);
        const numbers = read.flatMap(({ line, lastLine }) =>
          Array.from({ length: lastLine - line + 1 }, (_, i) => line + i),
        );
        const isNotEmpty = (line: string): boolean => !/^(\r?|"" *\r?)$/.test(line);
        const written = text.split("\n").flatMap((line, i) => (isNotEmpty(line) ? [i + 1] : []));
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        expect(written.filter((number) => !numbers.includes(number))).toEqual([]);
      },
    ),
    { numRuns: 500 },
  ));

describe("a mistake takes no other line with it", () => {
  const good = (count: number): string => "Good,1\n".repeat(count);
  const mistakesIn = (read: readonly CsvRow[]) =>
    read.flatMap(({ line, lastLine, mistake }) => (mistake === undefined ? [] : [[line, lastLine, mistake]]));

  test.each([
    ["text after a mark", '"Rex" the dog,1\n', ["Text follows"]],
    ["a mark that is not closed", '"Rex,1\n', ["is not closed"]],
    ["one that is not closed, and others later", '"Rex,1\nTom,2\n"Mia",3\n', ["Text follows"]],
    ["a text that is closed on another line", '"Rex\nof Tom" x,3\n', ["Text follows", "closes what a line before"]],
    ["text after a mark, at the end", 'Mia,"Rex"x', ["Text follows"]],
  ])("%s", async (_, lines, mistakes) => {
    const text = good(3_000) + lines.replace(/(?<!\n)$/, "\n") + good(3_000);
    for (const cut of [1_000_000, 700, 1]) {
      const read = await rowsIn(text, cut);
      expect(mistakesIn(read)).toEqual(
        mistakes.map((mistake, i) => [3_001 + i, 3_001 + i, expect.stringContaining(mistake)]),
      );
      expect(read).toHaveLength(text.split("\n").length - 1);
    }
  });

  test("also when what it has opened would be closed far beyond", async () => {
    const lines = Math.ceil(LINE_MAX_BYTES / 7);
    const read = await rowsIn(`"Rex,1\n${good(lines)}Tom",2\n${good(1)}`, 9_000);
    expect(mistakesIn(read)).toEqual([[1, 1, expect.stringContaining("is not closed")]]);
    expect(read).toHaveLength(lines + 3);
  });
});

test("marks that never fit take time by their number only", async () => {
  const lines = ['"a"b'.repeat(10), '"a', 'x"y', '"a" '.repeat(10), '""""'].flatMap((line) =>
    Array.from({ length: 20_000 }, () => line),
  );
  const before = process.cpuUsage();
  expect(await rowsIn(`${lines.join("\n")}\n`, 2_000)).not.toBeEmpty();
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5_000);
});
