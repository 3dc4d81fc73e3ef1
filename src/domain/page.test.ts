import { expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../base/json/int64.ts";
import { mistakeInText, NAME_MAX_CODE_POINTS } from "../base/text/text.ts";
import { CURSOR_PATTERN, cutPage, decodeCursor, encodeCursor, parsePageSize } from "./page.ts";
import { fold } from "./stock/fold.ts";

const ids = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
/** Names as they may be in the store. */
const foldedNames = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom("\u{1d160}", "İ", "é", "\u{10ffff}"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    ),
    maxLength: 255,
  })
  .filter((name) => mistakeInText(name, NAME_MAX_CODE_POINTS) === undefined)
  .map(fold);

test("a cursor leads back to its position: every id, and every name", () => {
  fc.assert(fc.property(ids, (id) => expect(decodeCursor(encodeCursor({ id }))).toEqual({ id })));
  fc.assert(
    fc.property(ids, foldedNames, (id, foldedName) => {
      const cursor = encodeCursor({ id, foldedName });
      expect(cursor).toMatch(new RegExp(CURSOR_PATTERN));
      expect(decodeCursor(cursor)).toEqual({ id, foldedName });
    }),
  );
});

test("a cursor can hold the longest name that there can be, and none that is longer", () => {
  let longest = 0;
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++)
    longest = Math.max(longest, Buffer.byteLength(fold(String.fromCodePoint(codePoint))));
  const cursorOf = (bytes: number) => encodeCursor({ id: 1n, foldedName: "a".repeat(bytes) });
  expect(decodeCursor(cursorOf(longest * NAME_MAX_CODE_POINTS))).toBeDefined();
  expect(decodeCursor(cursorOf(longest * NAME_MAX_CODE_POINTS + 1))).toBeUndefined();
});

test("one position has one cursor, and nothing in it that no database can store", () => {
  fc.assert(
    fc.property(fc.stringMatching(new RegExp(CURSOR_PATTERN)), (cursor) => {
      const position = decodeCursor(cursor);
      if (position) expect(encodeCursor(position)).toBe(cursor);
      else expect(cursor).toContain(".");
    }),
  );
  const byName = (bytes: number[]) => `0000000000000001.${Buffer.from(bytes).toString("base64url")}`;
  expect(decodeCursor(byName([0x72, 0x65]))).toEqual({ id: 1n, foldedName: "re" });
  for (const cursor of [
    "0000000000000001.",
    "0000000000000001.c",
    "0000000000000001.cmX",
    "0000000000000001.cmU=",
    "0000000000000001.cmU.cmU",
    "1.cmU",
    ".cmU",
    `0000000000000001.${"A".repeat(5000)}`,
    byName([0x72, 0]),
    byName([0xff]),
    byName([0xc1, 0xa1]),
    byName([0xed, 0xa0, 0x80]),
    byName([0xf4, 0x90, 0x80, 0x80]),
    byName([0xc3]),
  ])
    expect([cursor, decodeCursor(cursor)]).toEqual([cursor, undefined]);
});

test("a cursor of release 1.0.0 still works, and any other text is none", () => {
  const old = (text: string) => Buffer.from(text).toString("base64url");
  fc.assert(fc.property(ids, (id) => expect(decodeCursor(old(`after:${id}`))).toEqual({ id })));
  for (const text of [
    "",
    "abc",
    old("after:"),
    old("after:01"),
    `${old("after:42")}=`,
    old("after:9223372036854775808"),
  ])
    expect(decodeCursor(text)).toBeUndefined();
  fc.assert(
    fc.property(fc.string(), (text) => {
      const position = decodeCursor(text);
      if (position) expect([encodeCursor(position), old(`after:${position.id}`)]).toContain(text);
    }),
  );
});

test("page sizes are 1 to 100 in plain digits", () => {
  for (let size = 1; size <= 100; size++) expect(parsePageSize(String(size))).toBe(size);
  fc.assert(
    fc.property(fc.string(), (text) => {
      const size = parsePageSize(text);
      if (size !== undefined) expect(String(size)).toBe(text);
    }),
  );
});

test("a page is cut where it is full, and knows whether others follow", () => {
  expect(cutPage([1, 2, 3], 2)).toEqual({ rows: [1, 2], more: true });
  expect(cutPage([1, 2], 2)).toEqual({ rows: [1, 2], more: false });
  expect(cutPage([], 2)).toEqual({ rows: [], more: false });
});
