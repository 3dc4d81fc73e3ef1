import { expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN, int64FromJson, parseInt64 } from "./int64.ts";

const anyInt64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

test("every int64 is read back from its own digits", () => {
  fc.assert(
    fc.property(anyInt64, (value) => {
      expect(parseInt64(String(value))).toBe(value);
      expect(int64FromJson(String(value))).toBe(value);
    }),
  );
});

test("what lies outside of int64 is refused", () => {
  const outside = fc.oneof(fc.bigInt({ min: INT64_MAX + 1n }), fc.bigInt({ max: INT64_MIN - 1n }));
  fc.assert(
    fc.property(outside, (value) => {
      expect(parseInt64(String(value))).toBeUndefined();
      expect(int64FromJson(String(value))).toBeUndefined();
    }),
  );
});

test("a JSON number with a shifted point denotes the same integer", () => {
  fc.assert(
    fc.property(anyInt64, fc.integer({ min: 0, max: 25 }), (value, shift) => {
      const digits = String(value < 0n ? -value : value).padStart(shift + 1, "0");
      const sign = value < 0n ? "-" : "";
      const split = digits.length - shift;
      const literal =
        shift === 0 ? `${sign}${digits}.0` : `${sign}${digits.slice(0, split)}.${digits.slice(split)}e${shift}`;
      expect(int64FromJson(literal)).toBe(value);
    }),
  );
});

test("only integers pass: a fraction never does", () => {
  for (const literal of ["1.5", "0.1", "1e-1", "15e-1", "1e19", "1e400", "9e18.5", "", "abc", "+1", "1e999999999999"])
    expect(int64FromJson(literal)).toBeUndefined();
  for (const [literal, value] of [
    ["0e999999999999", 0n],
    ["-0.0", 0n],
    ["9e18", 9n * 10n ** 18n],
    ["0.000001e6", 1n],
  ] as const)
    expect(int64FromJson(literal)).toBe(value);
});

test("no literal takes long to read, however many zeros it has", () => {
  const zeros = "0".repeat(64_000);
  expect(int64FromJson(`1${zeros}1`)).toBeUndefined();
  expect(int64FromJson(`1.${zeros}1`)).toBeUndefined();
  expect(int64FromJson(`1.${zeros}`)).toBe(1n);
  expect(int64FromJson(`${zeros}1`)).toBe(1n);
}, 1000);

test("only the canonical spelling is an id", () => {
  for (const text of ["", "00", "-0", "+1", "01", "1 ", " 1", "1.0", "1e0", "0x1", "١", "1\n"])
    expect(parseInt64(text)).toBeUndefined();
});
