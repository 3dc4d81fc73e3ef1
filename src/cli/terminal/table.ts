import { harmless } from "../../base/text/text.ts";
import { painted, type Tone } from "./colour.ts";

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** Numbers are aligned to the right. */
  readonly align?: "right";
  /** Cells may be cut to this width, with an ellipsis. */
  readonly shrinksTo?: number;
  /** In a narrow terminal, columns are added by rank, equal ranks together. Absent: always shown. */
  readonly rank?: number;
  /** The colour of a cell, where there are colours. */
  readonly tone?: (row: Row) => Tone | undefined;
}

const GAP = "  ";
const ELLIPSIS = "…";
/** The rank of columns that are shown even where there is no room. */
export const ALWAYS_SHOWN = 0;

/** Rows under a head. A table with a width is made to fit; otherwise everything is shown in full. */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  availableWidth = Number.POSITIVE_INFINITY,
): string {
  const texts = rows.map((row) => columns.map(({ text }) => text(row)));
  const lines = [columns.map(({ title }) => title), ...texts].map((cells) => cells.map(harmless));
  const wanted = columns.map((_, i) =>
    lines.reduce((most, cells) => Math.max(most, Bun.stringWidth(cells[i] ?? "")), 0),
  );
  const widths = fit(columns, wanted, availableWidth);
  const isForTerminal = Number.isFinite(availableWidth);
  const toneOf = (line: number, i: number): Tone | undefined =>
    line === 0 ? "quiet" : columns[i]?.tone?.(rows[line - 1] as Row);
  const lineOf = (cells: readonly string[], line: number): string =>
    [...widths]
      .map(([i, width]) => padded(cut(cells[i] ?? "", width), width, columns[i]?.align, isForTerminal, toneOf(line, i)))
      .join(GAP)
      .trimEnd();
  return lines.map(lineOf).join("\n");
}

/** The widths of the columns that are shown, by their index in the head. */
function fit(columns: readonly Column<never>[], wanted: readonly number[], available: number): Map<number, number> {
  const least = columns.map(({ title, shrinksTo }, i) =>
    Math.min(wanted[i] as number, Math.max(shrinksTo ?? Number.POSITIVE_INFINITY, title.length)),
  );
  const ranks = Map.groupBy(columns.keys(), (i) => columns[i]?.rank ?? ALWAYS_SHOWN);
  const shown: number[] = [];
  let left = available + GAP.length;
  for (const [rank, places] of [...ranks].sort(([a], [b]) => a - b)) {
    const room = places.reduce((sum, i) => sum + (least[i] as number) + GAP.length, 0);
    if (rank !== ALWAYS_SHOWN && room > left) continue;
    shown.push(...places);
    left -= room;
  }
  const widths = new Map<number, number>();
  for (const i of shown.sort((a, b) => a - b)) {
    const growth = Math.max(0, Math.min(left, (wanted[i] as number) - (least[i] as number)));
    widths.set(i, (least[i] as number) + growth);
    left -= growth;
  }
  return widths;
}

/** Cuts a text to this width, between characters as a terminal shows them. */
function cut(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  let start = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Bun.stringWidth(start + segment + ELLIPSIS) > width) break;
    start += segment;
  }
  return start.trimEnd() + ELLIPSIS;
}

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\u200f\u061c]/u;
const LEFT_TO_RIGHT_MARK = "\u200e";

function padded(
  text: string,
  width: number,
  align: Column<never>["align"],
  isForTerminal: boolean,
  tone: Tone | undefined,
): string {
  const space = " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
  // Without the mark, a terminal that supports these scripts would show the next numbers to the left of the text.
  const shown = painted(isForTerminal && RIGHT_TO_LEFT.test(text) ? text + LEFT_TO_RIGHT_MARK : text, tone);
  return align === "right" ? space + shown : shown + space;
}

/** Labels and values, one pair per line. */
export const facts = (pairs: Facts): string => table(FACT_COLUMNS, pairs).split("\n").slice(1).join("\n");

export type Facts = readonly (readonly [label: string, value: string])[];

const FACT_COLUMNS: readonly Column<Facts[number]>[] = [
  { title: "", text: ([label]) => `  ${label}` },
  { title: "", text: ([, value]) => value },
];
