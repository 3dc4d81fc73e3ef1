import { describe, expect, test } from "bun:test";
import type { ImportWorkView } from "../../src/console/api/index.ts";
import { importStateLabel, isOver, shareDone, shownWork, workText, workTitle } from "./imports.ts";

const work = (more: Partial<ImportWorkView>): ImportWorkView => ({
  work: "w",
  name: "animals.csv",
  isDryRun: false,
  isUndo: false,
  step: "done",
  done: 0,
  total: null,
  animals: 0,
  rejected: 0,
  unreported: 0,
  linesLeftOut: 0,
  rejects: [],
  message: null,
  remedies: [],
  columns: [],
  importId: null,
  hasFile: false,
  ...more,
});

describe("a work is told in words", () => {
  test.each<[Partial<ImportWorkView>, string]>([
    [{ step: "validate", done: 1 }, "The file is being checked: 1 line so far."],
    [{ step: "add", done: 1000, total: 20000 }, "Added 1,000 of 20,000 animals."],
    [{ step: "add" }, "Animals are being added."],
    [{ step: "undo", isUndo: true, done: 1, total: 2 }, "Checked 1 of 2 animals."],
    [{ isDryRun: true, animals: 3 }, "3 animals would be added, and all lines are valid."],
    [{ isDryRun: true, animals: 1, rejected: 1 }, "1 animal would be added; 1 line is invalid."],
    [{ isDryRun: true, rejected: 2 }, "All of its lines are invalid: nothing would be added."],
    [{ isDryRun: true }, "It has only a header: nothing would be added."],
    [{ animals: 1 }, "1 animal was added."],
    [{ animals: 5, rejected: 2 }, "5 animals were added; 2 invalid lines were left out."],
    [{ isUndo: true, done: 5, total: 5 }, "5 animals were deleted."],
    [{ isUndo: true, done: 4, total: 5 }, "4 animals were deleted. 1 was kept, because orders refer to it."],
    [{ step: "refused", message: "It was stopped." }, "It was stopped."],
  ])("%j", (more, words) => expect(workText(work(more))).toBe(words));
});

test("how far it is, is known only while animals are added or removed", () => {
  expect(shareDone(work({ step: "add", done: 5, total: 10 }))).toBe(0.5);
  expect(shareDone(work({ step: "add", done: 0, total: 0 }))).toBeUndefined();
  expect(shareDone(work({ step: "validate", done: 5 }))).toBeUndefined();
  expect(isOver(work({ step: "add" }))).toBe(false);
  expect(isOver(work({ step: "refused" }))).toBe(true);
});

test("an import that is being worked on is not called unfinished", () => {
  const view = { id: "7", source: "a.csv", state: "unfinished", animals: 2, added: 1, begunAtMs: 0 } as const;
  expect(importStateLabel(view, undefined)).toEqual({ text: "Not finished", tone: "warning" });
  expect(importStateLabel(view, work({ step: "add", importId: "8" }))).toEqual({
    text: "Not finished",
    tone: "warning",
  });
  expect(importStateLabel(view, work({ step: "add", importId: "7" }))).toEqual({
    text: "Being imported",
    tone: "quiet",
  });
});

test("what was begun here is shown, also when an instance answers that does not know of it", () => {
  const [mine, other] = [work({ work: "mine" }), work({ work: "other" })];
  expect(shownWork([], undefined)).toEqual({ work: undefined, isElsewhere: false });
  expect(shownWork([other], undefined)).toEqual({ work: other, isElsewhere: false });
  expect(shownWork([other, mine], mine)).toEqual({ work: other, isElsewhere: false });
  expect(shownWork([other], mine)).toEqual({ work: mine, isElsewhere: true });
  expect(shownWork([], mine)).toEqual({ work: mine, isElsewhere: true });
});

test("only what was to be added and was not is a problem", () => {
  expect(workTitle({ step: "refused", isDryRun: true, isUndo: false }).tone).toBe("warning");
  expect(workTitle({ step: "refused", isDryRun: false, isUndo: false }).tone).toBe("problem");
  expect(workTitle({ step: "done", isDryRun: true, isUndo: false }).text).toContain("nothing added yet");
  expect(workTitle({ step: "done", isDryRun: false, isUndo: true }).text).toBe("Undone");
});
