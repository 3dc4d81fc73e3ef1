import { expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "./int64.ts";
import { cutPage, decodeCursor, encodeCursor, parsePageSize } from "./page.ts";

test("a cursor leads back to its id, over the whole range", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (id) => expect(decodeCursor(encodeCursor(id))).toBe(id)),
  );
});

test("a text that is no cursor of ours is refused", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const id = decodeCursor(text);
      if (id !== undefined) expect(encodeCursor(id)).toBe(text);
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
