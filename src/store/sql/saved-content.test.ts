import { expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../base/json/int64.ts";
import { CONTENT_BEFORE_ID, contentAfterId, decodeSavedContent, encodeSavedContent } from "./saved-content.ts";

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("$int64", "$$int64", '{"$int64":"1"}', "__proto__"),
);
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0));

/** Anything that a write may return. */
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    texts,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(texts, tie("value"), { maxKeys: 4 }),
  ),
}));

test("every value comes back as it was, also one that looks like a tag", () => {
  fc.assert(
    fc.property(values, (value) => {
      const content = { kind: "value", value } as const;
      expect(decodeSavedContent(encodeSavedContent(content))).toEqual(content);
    }),
    { numRuns: 1_000 },
  );
});

test("integers are exact, and what looks like a tag stays what it is", () => {
  const value = { $int64: "1", nested: { $int64: 9n, $$int64: [INT64_MIN, INT64_MAX] } };
  expect(decodeSavedContent(encodeSavedContent({ kind: "value", value }))).toEqual({ kind: "value", value });
});

test("the format is the one that is stored", () => {
  const value = { id: INT64_MAX, name: "Rex", $x: 1 };
  const text = '{"kind":"value","value":{"id":{"$int64":"9223372036854775807"},"name":"Rex","$$x":1}}';
  expect(encodeSavedContent({ kind: "value", value })).toBe(text);
  expect(decodeSavedContent(text)).toEqual({ kind: "value", value });
});

test("what a statement puts together around an id is the same as what is encoded here", () => {
  const ids = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
  const fields = fc.dictionary(texts, values, { maxKeys: 4 }).filter((value) => !Object.hasOwn(value, "id"));
  fc.assert(
    fc.property(ids, fields, (id, value) => {
      const content = { kind: "value", value: { id, ...value } } as const;
      expect(decodeSavedContent(CONTENT_BEFORE_ID + id + contentAfterId(value))).toEqual(content);
    }),
    { numRuns: 500 },
  );
});
