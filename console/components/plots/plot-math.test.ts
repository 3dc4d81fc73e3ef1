import { expect, test } from "bun:test";
import fc from "fast-check";
import { stepOf, topOf } from "./plot-math.ts";

test("the top of a plot is a round number at or above its highest bar, and not far above", () => {
  expect([0, 1, 4, 5, 890, 49_000].map(topOf)).toEqual([4, 4, 4, 8, 1000, 60_000]);
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 1_000_000_000 }), (highest) => {
      const top = topOf(highest);
      expect(top).toBeGreaterThanOrEqual(highest);
      expect(top).toBeLessThanOrEqual(highest * 1.7);
      expect(top % 4).toBe(0);
    }),
  );
});

test("arrow keys move through a plot, and stay in it", () => {
  expect(stepOf("ArrowLeft", 5, 59)).toBe(4);
  expect(stepOf("ArrowRight", 59, 59)).toBe(59);
  expect(stepOf("PageDown", 5, 59)).toBe(0);
  expect(stepOf("Home", 30, 59)).toBe(0);
  expect(stepOf("End", 30, 59)).toBe(59);
  expect(stepOf("Tab", 30, 59)).toBeUndefined();
  expect(stepOf("ArrowLeft", -1, -1)).toBeUndefined();
});
