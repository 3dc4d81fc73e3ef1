import type { Awaitable } from "./time/awaitable.ts";
import { nextTurn } from "./time/turn.ts";

/** The next `size` rows after an id; "" is before all of them. */
export interface IdPage {
  readonly afterId: string;
  readonly size: number;
}

/** Reads all rows, a page at a time: other work of this thread gets its turn in between. */
export async function readAll<Row>(
  size: number,
  read: (page: IdPage) => Awaitable<readonly Row[]>,
  idOf: (row: Row) => string,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  const pages = pagesOf<Row>(size, (last) => read({ afterId: last === undefined ? "" : idOf(last), size }));
  for await (const page of pages) all.push(...page);
  return all;
}

/** Yields the rows page by page, until a page is not full. */
export async function* pagesOf<Row>(
  size: number,
  /** Returns the next `size` rows after one; undefined is before all of them. */
  read: (last: Row | undefined) => Awaitable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let last: Row | undefined; ; await nextTurn()) {
    const rows = await read(last);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    last = rows.at(-1);
  }
}
