import { parseInt64 } from "./int64.ts";

export const PAGE_SIZE_MIN = 1;
export const PAGE_SIZE_MAX = 100;
export const PAGE_SIZE_DEFAULT = 20;

const CANONICAL_COUNT = /^[1-9][0-9]{0,2}$/;

/** The page size that a text denotes; undefined unless it is a plain decimal number within bounds. */
export function parsePageSize(text: string): number | undefined {
  if (!CANONICAL_COUNT.test(text)) return undefined;
  const size = Number(text);
  return size >= PAGE_SIZE_MIN && size <= PAGE_SIZE_MAX ? size : undefined;
}

/** One page of rows, and whether more rows follow it. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly more: boolean;
}

/** Makes a page of rows that were queried with one more than its size. */
export function cutPage<Row>(rows: readonly Row[], size: number): Page<Row> {
  return rows.length > size ? { rows: rows.slice(0, size), more: true } : { rows, more: false };
}

const CURSOR = /^[0-9a-f]{16}$/;
/** As JSON Schema has it. */
export const CURSOR_PATTERN = CURSOR.source;

/** A cursor says: continue after this id. Clients are told that it is opaque; it is the int64 in hexadecimal. */
export const encodeCursor = (afterId: bigint): string => BigInt.asUintN(64, afterId).toString(16).padStart(16, "0");

/** The id in a cursor; undefined for any other text. */
export const decodeCursor = (cursor: string): bigint | undefined =>
  CURSOR.test(cursor) ? BigInt.asIntN(64, BigInt(`0x${cursor}`)) : decodeOldCursor(cursor);

const OLD_PREFIX = "after:";

/** Release 1.0.0 wrote cursors in Base64; a client may have kept one. */
function decodeOldCursor(cursor: string): bigint | undefined {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  if (!text.startsWith(OLD_PREFIX) || Buffer.from(text, "latin1").toString("base64url") !== cursor) return undefined;
  return parseInt64(text.slice(OLD_PREFIX.length));
}
