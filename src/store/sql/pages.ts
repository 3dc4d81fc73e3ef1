import { pagesOf } from "../../base/read-all.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Dialect } from "./searches.ts";
import { type Row, type SqlValue, selectFrom, type Table } from "./table.ts";
import { BATCH_SIZE } from "./transfer.ts";

/**
 * Yields the rows of a table by ascending key, or only those after an id, a statement a page: one over millions of rows
 * would fill the memory, and keep SQLite's log from being emptied meanwhile.
 */
export function rowsOf(
  run: (sql: string, parameters: SqlValue[]) => Awaitable<readonly Row[]>,
  { placeholder }: Dialect,
  table: Table,
  afterId?: bigint,
): AsyncIterable<readonly Row[]> {
  const key = table.key.join(", ");
  const first = afterId === undefined ? [] : [afterId];
  return pagesOf(BATCH_SIZE, (last?: Row) => {
    const after = last ? table.key.map((column) => last[column] as SqlValue) : first;
    const condition = after.length > 0 ? `WHERE (${key}) > (${after.map((_, i) => placeholder(i + 1))})` : "";
    return run(`${selectFrom(table)} ${condition} ORDER BY ${key} LIMIT ${BATCH_SIZE}`, after);
  });
}
