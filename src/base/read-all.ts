import type { Awaitable } from "./time/awaitable.ts";
import { nextTurn } from "./time/turn.ts";

/** A page of rows by ascending id. */
interface PageRequest {
  readonly afterId: string;
  readonly size: number;
}

/** Reads all rows, a page at a time: other work of this thread gets its turn in between. */
export async function readAll<Row>(
  size: number,
  read: (page: PageRequest) => Awaitable<readonly Row[]>,
  idOf: (row: Row) => string,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (let afterId = ""; ; afterId = idOf(all.at(-1) as Row)) {
    const page = await read({ afterId, size });
    all.push(...page);
    if (page.length < size) return all;
    await nextTurn();
  }
}
