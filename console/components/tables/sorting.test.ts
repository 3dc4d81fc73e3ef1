import { expect, test } from "bun:test";
import { directionOf, nextSort, sortingOf } from "./sorting.ts";

const CHOICES = ["", "name", "-name", "-used", "used"].map((sort) => ({ sort, label: sort }));

/** The orders that some presses of a head lead through. */
function pressing(column: string, usual: string, choices = CHOICES): (string | undefined)[] {
  const passed: (string | undefined)[] = [];
  let inAddress = "";
  for (let press = 0; press < 4; press++) {
    const next = nextSort(column, sortingOf(inAddress, usual, choices));
    passed.push(next);
    inAddress = next ?? "";
  }
  return passed;
}

test("a head leads through both directions of its column, and back to the usual order", () => {
  expect(pressing("name", "")).toEqual(["name", "-name", "", "name"]);
  expect(pressing("used", "")).toEqual(["-used", "used", "", "-used"]);
  expect(pressing("id", "")).toEqual([undefined, undefined, undefined, undefined]);
});

test("the head of the column that a list is usually sorted by only changes its direction", () => {
  const byId = ["-id", "id", "name", "-name"].map((sort) => ({ sort, label: sort }));
  expect(pressing("id", "-id", byId)).toEqual(["id", "-id", "id", "-id"]);
  expect(pressing("name", "-id", byId)).toEqual(["name", "-name", "-id", "name"]);
});

test("a head says in which direction the list is sorted by it, if it is", () => {
  const directions = ["", "name", "-name", "used"].map((sort) => directionOf("name", sortingOf(sort, "", CHOICES)));
  expect(directions).toEqual(["none", "ascending", "descending", "none"]);
});
