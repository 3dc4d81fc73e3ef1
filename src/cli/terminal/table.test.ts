import { describe, expect, test } from "bun:test";
import { type Column, facts, table } from "./table.ts";

type Row = readonly string[];

/** Each column shows the cell at its own place in the row. */
const columnsOf = (heads: readonly Omit<Column<Row>, "text">[]): readonly Column<Row>[] =>
  heads.map((head, i) => ({ ...head, text: (row) => row[i] ?? "" }));

const titled = (...titles: readonly string[]) => columnsOf(titles.map((title) => ({ title })));

const COLUMNS = columnsOf([
  { title: "ID" },
  { title: "NAME", shrinksTo: 6 },
  { title: "USED", align: "right", rank: 1 },
  { title: "NOTE", rank: 3 },
  { title: "AGE", align: "right", rank: 2 },
]);
const ROWS = [
  ["key_1", "Front desk", "1,000", "a long note", "7"],
  ["key_2", "Rex", "3", "", "12"],
];

describe("a table", () => {
  test("without a width shows everything, numbers to the right, and no line ends in a space", () => {
    expect(table(COLUMNS, ROWS)).toBe(
      [
        "ID     NAME         USED  NOTE         AGE",
        "key_1  Front desk  1,000  a long note    7",
        "key_2  Rex             3                12",
      ].join("\n"),
    );
    expect(table(titled("A", "B"), [["x", ""]])).toBe("A  B\nx");
  });

  test("that is a little too wide is made to fit by cutting names", () => {
    expect(table(COLUMNS, ROWS, 42)).toBe(table(COLUMNS, ROWS));
    expect(table(COLUMNS, ROWS, 40).split("\n")).toEqual([
      "ID     NAME       USED  NOTE         AGE",
      "key_1  Front d…  1,000  a long note    7",
      "key_2  Rex           3                12",
    ]);
  });

  test("that is much too wide leaves out the columns that matter least", () => {
    expect(table(COLUMNS, ROWS, 30).split("\n")).toEqual([
      "ID     NAME         USED  AGE",
      "key_1  Front desk  1,000    7",
      "key_2  Rex             3   12",
    ]);
    expect(table(COLUMNS, ROWS, 20).split("\n")).toEqual([
      "ID     NAME     USED",
      "key_1  Front…  1,000",
      "key_2  Rex         3",
    ]);
  });

  test("shows columns of the same rank together, or none of them", () => {
    const columns = columnsOf([
      { title: "ID" },
      { title: "MINUTE", rank: 1 },
      { title: "DAY", rank: 1 },
      { title: "AGE", rank: 2 },
    ]);
    const headAt = (width: number) => table(columns, [], width);
    expect([15, 14, 7, 6].map(headAt)).toEqual(["ID  MINUTE  DAY", "ID  AGE", "ID  AGE", "ID"]);
  });

  test("never cuts ids, however narrow the terminal is", () => {
    for (const width of [1, 5, 10]) {
      const lines = table(COLUMNS, ROWS, width).split("\n");
      expect(lines).toEqual(["ID     NAME", "key_1  Front…", "key_2  Rex"]);
    }
  });

  test("may have any number of rows", () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => [`key_${i}`, "Rex"]);
    expect(table(titled("ID", "NAME"), rows, 80)).toEndWith("\nkey_199999  Rex");
  });

  test("of no rows is its head", () => {
    expect(table(COLUMNS, [], 80)).toBe("ID  NAME  USED  NOTE  AGE");
  });

  test("fits at every width that has room for what is always shown", () => {
    const names = [
      "犬の店の看板娘",
      "👩‍👩‍👧 family 👩‍👩‍👧",
      "Cafe\u0301 Ole\u0301 cafe\u0301",
      "שלום עולם שלום",
      "a".repeat(100),
      "🇩🇪🇫🇷🇯🇵🇺🇸🇧🇷",
    ];
    const rows = names.map((name, i) => [`key_${i}`, name, String(10 ** i), "note", "1"]);
    for (let width = 13; width <= 150; width++)
      for (const line of table(COLUMNS, rows, width).split("\n"))
        expect([line, Bun.stringWidth(line) <= width]).toEqual([line, true]);
  });
});

describe("names", () => {
  const cutTo = (width: number, name: string): string =>
    table(columnsOf([{ title: "N", shrinksTo: 1 }]), [[name]], width).split("\n")[1] as string;

  test("are cut between what a terminal shows as one character", () => {
    expect(cutTo(5, "犬の店")).toBe("犬の…");
    expect(cutTo(4, "犬の店")).toBe("犬…");
    expect(cutTo(6, "犬の店")).toBe("犬の店");
    expect(cutTo(3, "👩‍👩‍👧👩‍👩‍👧")).toBe("👩‍👩‍👧…");
    expect(cutTo(3, "e\u0301e\u0301e\u0301e\u0301")).toBe("e\u0301e\u0301…");
    expect(cutTo(6, "Front desk")).toBe("Front…");
    expect(cutTo(7, "Front desk")).toBe("Front…");
  });

  test("cannot break, reorder or hide what is around them", () => {
    const line = table(titled("NAME", "PLAN"), [["a\nb\x1b[31m\x9b2J\u202ecod\u2028", "free"]]).split("\n");
    expect(line).toHaveLength(2);
    expect(line[1]).toBe("a<U+000A>b<U+001B>[31m<U+009B>2J<U+202E>cod<U+2028>  free");
    expect(facts([["name", "\u2067x\r"]])).toBe("  name  <U+2067>x<U+000D>");
  });

  test("from right to left are closed off in a terminal, so that numbers behind them stay in their column", () => {
    const rows = [["שלום", "60"]];
    expect(table(titled("NAME", "PER MINUTE"), rows, 80)).toEndWith("שלום\u200e  60");
    expect(table(titled("NAME", "PER MINUTE"), rows)).toEndWith("שלום  60");
  });
});
