import { rawJson } from "../../base/runtime/json.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Page } from "../../domain/page.ts";
import { formatNumber, note, print, printJson, terminalWidth } from "../terminal/print.ts";
import { type Column, table } from "../terminal/table.ts";

// Lists of animals, orders and categories, which may be longer than anybody wants to read.

export const LIMIT_DEFAULT = 50;
export const LIMIT_HELP = `the most to print (default: ${LIMIT_DEFAULT})`;

/** The most rows that are read at once. */
const PAGE_SIZE = 500;

/** Reads the first rows of a list, page by page, and tells whether there are more. */
export async function firstRows<Row>(
  limit: number,
  read: (after: Row | undefined, size: number) => Awaitable<Page<Row>>,
): Promise<Page<Row>> {
  const rows: Row[] = [];
  for (;;) {
    const page = await read(rows.at(-1), Math.min(PAGE_SIZE, limit - rows.length));
    rows.push(...page.rows);
    if (!page.more || rows.length >= limit) return { rows, more: page.more };
  }
}

interface Printed<Row> {
  readonly columns: readonly Column<Row>[];
  readonly jsonOf: (row: Row) => object;
  /** Said of an empty list: "There are no such orders." */
  readonly none: string;
  readonly json: true | undefined;
}

/** Prints a list. Whether there are more is said on standard error, so that the output is one row per line. */
export function printRows<Row>({ rows, more }: Page<Row>, { columns, jsonOf, none, json }: Printed<Row>): void {
  if (json) printJson(rows.map(jsonOf));
  else if (rows.length > 0) print(table(columns, rows, terminalWidth()));
  if (!json && rows.length === 0) note(none);
  if (more) note(`There are more than these ${formatNumber(rows.length)}: give --limit to see them.`);
}

/** An id in JSON, with all its digits. */
export const exactId = (id: bigint): unknown => rawJson(String(id));
