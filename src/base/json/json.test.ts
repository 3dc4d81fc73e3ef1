import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { int64FromJson } from "./int64.ts";
import { outlineOf, parseJson, repeatedName } from "./json.ts";

/** A plain implementation of what parseJson() promises, without regard to its cost. */
const exactly = (json: string): unknown =>
  JSON.parse(json, (_key, value, context?: { source: string }) =>
    typeof value === "number" ? (int64FromJson(context?.source ?? "") ?? value) : value,
  );

const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom("-0", "1.0", "10e-1", "1E2", "0.5", "9007199254740993", "999999999999999", "1e400"),
);
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("1.0", "1e5", '":', "\\", "[{,", "1234567890123456"),
);
const { value: anyJson } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    number,
    text.map((value) => JSON.stringify(value)),
    fc.constantFrom("true", "false", "null", " null "),
    fc.array(tie("value"), { maxLength: 4 }).map((values) => `[${values.join(" , ")}]`),
    fc
      .array(fc.tuple(text, tie("value")), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)} : ${value}`).join()}}`),
  ),
}));

test("every int64 is exact, wherever it stands and whatever else there is", () => {
  fc.assert(
    fc.property(anyJson, (json) => {
      expect(parseJson(json)).toEqual(exactly(json));
    }),
    { numRuns: 500 },
  );
});

test("a literal longer than anyone writes an int64 is no int64", () => {
  expect(parseJson(`[1.${"0".repeat(50)}]`)).toEqual([1n]);
  expect(parseJson(`[1.${"0".repeat(1_000)}]`)).toEqual([1]);
});

/** An empty array or object counts twice. */
const countValues = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 1;
  const counts = Object.values(value).map(countValues);
  return 1 + (counts.length === 0 ? 1 : counts.reduce((sum, count) => sum + count, 0));
};

describe("an outline", () => {
  test("counts all values", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(outlineOf(JSON.stringify(value)).values).toBe(countValues(value));
      }),
    );
    fc.assert(fc.property(anyJson, (json) => outlineOf(json).values >= countValues(JSON.parse(json))));
  });

  test("tells names and unusual numbers from what is in strings", () => {
    expect(outlineOf('{"name":"Rex","categoryId":7}')).toEqual({ values: 3, names: 2, hasUnusualNumber: false });
    expect(outlineOf('{"a":"1.0e5,[{:\\"","b":true}')).toEqual({ values: 3, names: 2, hasUnusualNumber: false });
    for (const number of ["1.0", "1e5", "1E5", "1234567890123456"])
      expect(outlineOf(`[1,${number}]`)).toEqual({ values: 3, names: 0, hasUnusualNumber: true });
  });

  test("of any text whatever comes to an end, also of one that is no JSON", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (json) => outlineOf(json).values >= 1));
    for (const json of ["", '"', '"\\', "\\", '{"a', "{{{"]) expect(outlineOf(json).values).toBeGreaterThanOrEqual(1);
  });

  test("stops where there are too many values", () => {
    expect(outlineOf("[".repeat(1_000), 64).values).toBe(65);
  });
});

test("the name that occurs twice is found, however it is written, and no other", () => {
  const member = fc.tuple(
    fc.constantFrom("a", "b", "c", ":", '"', "\\"),
    fc.constantFrom("1", '":"', '{"a":1,"a":2}', "[]"),
  );
  fc.assert(
    fc.property(fc.array(member, { maxLength: 5 }), fc.boolean(), (members, isEscaped) => {
      const write = (name: string) =>
        isEscaped ? `"\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}"` : JSON.stringify(name);
      const json = `{${members.map(([name, value]) => `${write(name)}:${value}`).join()}}`;
      const names = members.map(([name]) => name);
      const twice = names.find((name, i) => names.indexOf(name) < i);
      expect(repeatedName(json, JSON.parse(json))).toBe(twice as string);
    }),
  );
});
