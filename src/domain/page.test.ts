import { expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "./int64.ts";
import { CURSOR_PATTERN, cutPage, decodeCursor, encodeCursor, parsePageSize } from "./page.ts";

test("a cursor leads back to its id, over the whole range", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (id) => expect(decodeCursor(encodeCursor(id))).toBe(id)),
  );
});

test("every text that matches the documented pattern is a cursor, and one id has one cursor", () => {
  fc.assert(
    fc.property(fc.stringMatching(new RegExp(CURSOR_PATTERN)), (cursor) => {
      expect(encodeCursor(decodeCursor(cursor) as bigint)).toBe(cursor);
    }),
  );
});

test("a cursor of release 1.0.0 still works, and any other text is none", () => {
  const old = (text: string) => Buffer.from(text).toString("base64url");
  fc.assert(
    fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (id) =>
      expect(decodeCursor(old(`after:${id}`))).toBe(id),
    ),
  );
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
      const id = decodeCursor(text);
      if (id !== undefined) expect([encodeCursor(id), old(`after:${id}`)]).toContain(text);
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
