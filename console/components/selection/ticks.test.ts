import { expect, test } from "bun:test";
import { turnedOver } from "./ticks.ts";

const ALL = ["a", "b", "c", "d", "e"];
const after = (ticked: readonly string[], id: string, anchor?: string): string =>
  [...turnedOver(new Set(ticked), ALL, id, anchor)].sort().join("");

test("a click turns one row over", () => {
  expect([after([], "b"), after(["b", "d"], "b"), after(["a"], "b")]).toEqual(["b", "d", "ab"]);
});

test("a click with Shift makes all rows from the last click on like the clicked one, upwards and downwards", () => {
  expect([after(["b"], "d", "b"), after(["d"], "b", "d")]).toEqual(["bcd", "bcd"]);
  expect(after(["a", "b", "c", "d"], "c", "a")).toBe("d");
});

test("a range from a row that is no longer shown is that one row", () => {
  expect(after([], "d", "gone")).toBe("d");
});
