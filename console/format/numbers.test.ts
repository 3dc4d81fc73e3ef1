import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compact, counted, grouped, measured, percentage, size } from "./numbers.ts";

describe("numbers are exact", () => {
  test("in groups of three digits", () => {
    expect([0, 999, 1000, 6_318_402].map(grouped)).toEqual(["0", "999", "1,000", "6,318,402"]);
  });

  test("an id as a decimal string keeps every digit", () => {
    expect(grouped("9223372036854775807")).toBe("9,223,372,036,854,775,807");
    expect(grouped("9007199254740993")).toBe("9,007,199,254,740,993");
  });

  test("whatever the number, its digits are all there, and groups have three", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (value) => {
        const text = grouped(String(value));
        expect(text.replaceAll(",", "")).toBe(String(value));
        expect(text).toMatch(/^\d{1,3}(,\d{3})*$/);
      }),
    );
  });
});

test("the navigation rounds what is too long for it, and nothing else", () => {
  expect([38, 9_999, 10_000, 99_949, 99_950, 999_499, 999_500].map(compact)).toEqual([
    "38",
    "9,999",
    "10.0 k",
    "99.9 k",
    "100 k",
    "999 k",
    "1.0 M",
  ]);
  expect([10_218_734, 150_000_000, 2_500_000_000].map(compact)).toEqual(["10.2 M", "150 M", "2.5 G"]);
});

test("an estimate says about", () => {
  expect(counted({ value: 1234, isEstimate: true })).toBe("about 1,234");
  expect(counted({ value: 1234, isEstimate: false })).toBe("1,234");
});

describe("a percentage", () => {
  test("has a decimal only where that says something", () => {
    expect([6, 42, 310, 960].map((part) => percentage(part, 1000))).toEqual(["0.6 %", "4 %", "31 %", "96 %"]);
  });

  test("never rounds something to nothing, nor less than all to all", () => {
    expect(percentage(0, 10)).toBe("0 %");
    expect(percentage(3, 0)).toBe("0 %");
    expect(percentage(1, 1_000_000)).toBe("under 0.1 %");
    expect(percentage(999_999, 1_000_000)).toBe("over 99 %");
    expect(percentage(10, 10)).toBe("100 %");
    expect(percentage(25, 10)).toBe("250 %");
  });
});

test("measured times and sizes have a unit", () => {
  expect([0.71, 4.21, 12.34, 999, 1250, 2500].map(measured)).toEqual([
    "0.71 ms",
    "4.2 ms",
    "12.3 ms",
    "999 ms",
    "1.25 s",
    "2.5 s",
  ]);
  expect([0, 999, 1000, 1_234_567_890, 5e15].map(size)).toEqual(["0 bytes", "999 bytes", "1 kB", "1.23 GB", "5000 TB"]);
});
