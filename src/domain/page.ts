import { parseInt64 } from "../base/json/int64.ts";
import { decodeBase64Url, encodeBase64Url } from "../base/runtime/base64.ts";
import { NAME_MAX_CODE_POINTS } from "../base/text/text.ts";

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

/** One page as it is sent to a client. */
export interface JsonPage {
  /** The text of an array. */
  readonly json: string;
  /** The position that the next page continues after; undefined on the last one. */
  readonly next: Position | undefined;
}

export const jsonPageOf = <Row extends Position>(
  { rows, more }: Page<Row>,
  jsonOf: (row: Row) => string,
): JsonPage => ({
  json: `[${rows.map(jsonOf).join(",")}]`,
  next: more ? rows.at(-1) : undefined,
});

/** Ascending or descending by id; descending is the newest first. */
export const ID_ORDERS = ["id", "-id"] as const;
export type IdOrder = (typeof ID_ORDERS)[number];

/** Ascending or descending by folded name, then by id. */
export const NAME_ORDERS = ["name", "-name"] as const;
export type NameOrder = (typeof NAME_ORDERS)[number];

/** The place of a row in a list: its id, or in a list by name its folded name and then its id. */
export interface Position {
  readonly id: bigint;
  readonly foldedName?: string | undefined;
}

/** Tells whether a position belongs to a list: by id, or by names that begin with a folded prefix. */
export const isInList = ({ foldedName }: Position, foldedPrefix: string | undefined): boolean =>
  foldedPrefix === undefined ? foldedName === undefined : foldedName?.startsWith(foldedPrefix) === true;

/** A row of a list by name comes with the folded name that it was found by. */
export type Listed<Row> = Row & Pick<Position, "foldedName">;

/** The longest folded name: folding makes at most three code points, of four bytes each, of one. */
const FOLDED_NAME_MAX_BYTES = 12 * NAME_MAX_CODE_POINTS;
const ZEROS = "0000000000000000";
const ID = "[0-9a-f]{16}";
const CURSOR_BY_ID = new RegExp(`^${ID}$`);
const CURSOR_BY_NAME = new RegExp(`^${ID}\\.[A-Za-z0-9_-]{2,${Math.ceil((FOLDED_NAME_MAX_BYTES * 4) / 3)}}$`);
/** For the JSON Schemas of the parameter: in lists that are always by id, and in those that can also be by name. */
export const CURSOR_BY_ID_PATTERN = CURSOR_BY_ID.source;
export const CURSOR_PATTERN = `${CURSOR_BY_ID_PATTERN}|${CURSOR_BY_NAME.source}`;

/**
 * A cursor says: continue after this row. Clients are told that it is opaque; it is the id in hexadecimal, and in a
 * list by name also the folded name in Base64.
 */
export function encodeCursor({ id, foldedName }: Position): string {
  const digits = (id < 0n ? BigInt.asUintN(64, id) : id).toString(16);
  const hex = ZEROS.slice(digits.length) + digits;
  return foldedName === undefined ? hex : `${hex}.${encodeBase64Url(foldedName)}`;
}

/** The position in a cursor; undefined for any other text. */
export function decodeCursor(cursor: string): Position | undefined {
  if (CURSOR_BY_ID.test(cursor)) return { id: decodeId(cursor) };
  return CURSOR_BY_NAME.test(cursor) ? decodeCursorByName(cursor) : decodeOldCursor(cursor);
}

const decodeId = (hex: string): bigint => BigInt.asIntN(64, BigInt(`0x${hex}`));

function decodeCursorByName(cursor: string): Position | undefined {
  const [hex = "", encoded = ""] = cursor.split(".");
  const foldedName = decodeBase64Url(encoded);
  // Only canonical Base64 of valid UTF-8 comes out as it went in. PostgreSQL has no U+0000.
  if (encodeBase64Url(foldedName) !== encoded || foldedName.includes("\0")) return undefined;
  return { id: decodeId(hex), foldedName };
}

const OLD_PREFIX = "after:";

/** Release 1.0.0 wrote cursors in Base64; a client may have kept one. */
function decodeOldCursor(cursor: string): Position | undefined {
  const text = decodeBase64Url(cursor);
  if (!text.startsWith(OLD_PREFIX) || encodeBase64Url(text) !== cursor) return undefined;
  const id = parseInt64(text.slice(OLD_PREFIX.length));
  return id === undefined ? undefined : { id };
}
