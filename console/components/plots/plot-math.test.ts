import { expect, test } from "bun:test";
import fc from "fast-check";
import { selectedBars, stepOf, topOf } from "./plot-math.ts";

test("the top of a plot is a round number at or above its highest bar, and not far above", () => {
  expect([0, 1, 4, 5, 890, 49_000].map((highest) => topOf(highest))).toEqual([4, 4, 4, 8, 1000, 60_000]);
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 1_000_000_000 }), (highest) => {
      const top = topOf(highest);
      expect(top).toBeGreaterThanOrEqual(highest);
      expect(top).toBeLessThanOrEqual(highest * 1.7);
      expect(top % 4).toBe(0);
    }),
  );
});

test("an axis of durations has fractions, and is as close", () => {
  expect(topOf(0.5, false)).toBeCloseTo(0.6);
  expect(topOf(0, false)).toBeGreaterThan(0);
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 60_000, noNaN: true }), (highest) => {
      const top = topOf(highest, false);
      expect(top).toBeGreaterThanOrEqual(highest * (1 - Number.EPSILON * 4));
      expect(top).toBeLessThanOrEqual(highest * 1.7);
    }),
  );
});

test("a selection is all bars that it touches, but not all that there are, and none outside", () => {
  expect(selectedBars(2.4, 3.1, 59)).toEqual([2, 3]);
  expect(selectedBars(2.4, 2.6, 59)).toEqual([2, 2]);
  expect(selectedBars(-0.5, 4, 59)).toEqual([0, 3]);
  expect(selectedBars(57.5, 62, 59)).toEqual([57, 59]);
  expect(selectedBars(0, 60, 59)).toBeUndefined();
  expect(selectedBars(0, 1, 0)).toBeUndefined();
  expect(selectedBars(-3, -1, 59)).toBeUndefined();
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
