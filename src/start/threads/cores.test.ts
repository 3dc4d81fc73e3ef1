import { expect, test } from "bun:test";
import { coresOfContainer, defaultThreads } from "./cores.ts";

test("by default there is a thread for each core, but at most 8, and always one", () => {
  expect([1, 2, 8, 9, 64].map((cores) => defaultThreads(cores, undefined))).toEqual([1, 2, 8, 8, 8]);
  expect(defaultThreads()).toBeWithin(1, 9);
});

test("where threads cannot share a port there is one", () => {
  expect(defaultThreads(8, undefined, "darwin")).toBe(1);
});

test("a container's limit counts, rounded up, and never adds threads", () => {
  expect([1, 2, 6, 100].map((limit) => defaultThreads(4, limit))).toEqual([1, 2, 4, 4]);
  expect(defaultThreads(4, 0)).toBe(1);
  for (const [text, cores] of [
    ["max 100000\n", undefined],
    ["100000 100000\n", 1],
    ["150000 100000\n", 2],
    ["50000 100000\n", 1],
    ["", undefined],
  ] as const)
    expect([text, coresOfContainer(() => text)]).toEqual([text, cores]);
});

test("where there is no such limit to read, there is none", () => {
  expect(
    coresOfContainer(() => {
      throw new Error("ENOENT");
    }),
  ).toBeUndefined();
});
