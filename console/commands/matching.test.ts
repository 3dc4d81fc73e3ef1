import { expect, test } from "bun:test";
import { isStillFound, matching } from "./matching.ts";

const titles = (candidates: readonly string[], text: string): readonly string[] =>
  matching(
    candidates.map((title) => ({ title })),
    text,
  ).map(({ title }) => title);

test("a title that begins with the text comes before one with a word that does, and before one that only has it", () => {
  const candidates = ["Show the reordered", "Recent orders", "Orders", "Keys"];
  expect(titles(candidates, "order")).toEqual(["Orders", "Recent orders", "Show the reordered"]);
});

test("words may be cut short, in any order, without their accents and case", () => {
  expect(titles(["Rename Zoës Café", "Rename Zora"], "cafe zoe")).toEqual(["Rename Zoës Café"]);
  expect(titles(["Status: Suspended"], "sus stat")).toEqual(["Status: Suspended"]);
});

test("without a text all are there in their own order, and equally good ones keep it", () => {
  expect(titles(["B", "A"], "  ")).toEqual(["B", "A"]);
  expect(titles(["Approve order 2", "Approve order 1"], "approve")).toEqual(["Approve order 2", "Approve order 1"]);
});

test("a text that nothing has matches nothing", () => {
  expect(titles(["Orders", "Keys"], "orders keys")).toEqual([]);
});

test("what was found stays while more of its name is typed, and goes with the first other letter", () => {
  expect(isStillFound(["Rex", "12", null], "rex")).toBe(true);
  expect(isStillFound(["Rex", "12", null], "1")).toBe(true);
  expect(isStillFound(["Rex", "12", null], "rexi")).toBe(false);
  expect(isStillFound([null], "x")).toBe(false);
});
