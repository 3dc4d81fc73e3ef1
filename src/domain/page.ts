import { parseInt64 } from "./int64.ts";

export const PAGE_SIZE_MIN = 1;
export const PAGE_SIZE_MAX = 100;
export const PAGE_SIZE_DEFAULT = 20;

const CANONICAL_COUNT = /^[1-9][0-9]{0,2}$/;

/** The page size that a text asks for; undefined when it is not a plain number within bounds. */
export function parsePageSize(text: string): number | undefined {
  if (!CANONICAL_COUNT.test(text)) return undefined;
  const size = Number(text);
  return size >= PAGE_SIZE_MIN && size <= PAGE_SIZE_MAX ? size : undefined;
}

/** A page's rows, and whether others follow them. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly more: boolean;
}

/** Cuts a page out of rows that were read one beyond its size. */
export function cutPage<Row>(rows: readonly Row[], size: number): Page<Row> {
  return rows.length > size ? { rows: rows.slice(0, size), more: true } : { rows, more: false };
}

const CURSOR_PREFIX = "after:";

/** A cursor says: continue after this id. Clients are told that it is opaque, so it looks it. */
export const encodeCursor = (afterId: bigint): string => Buffer.from(CURSOR_PREFIX + afterId).toString("base64url");

/** The id in a cursor of ours; undefined for any other text. */
export function decodeCursor(cursor: string): bigint | undefined {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  if (!text.startsWith(CURSOR_PREFIX)) return undefined;
  const afterId = parseInt64(text.slice(CURSOR_PREFIX.length));
  return afterId !== undefined && encodeCursor(afterId) === cursor ? afterId : undefined;
}
