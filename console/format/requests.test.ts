import { expect, test } from "bun:test";
import { coverageText, outcomeLabel } from "./requests.ts";

test("an outcome is the status with its code, in the colour of who has to act", () => {
  expect(outcomeLabel({ status: 304, code: null })).toEqual({ text: "304", tone: "good" });
  expect(outcomeLabel({ status: 429, code: "key_banned" })).toEqual({ text: "429 key_banned", tone: "warning" });
  expect(outcomeLabel({ status: 500, code: "internal_error" }).tone).toBe("problem");
});

test("a sentence says how many requests are kept, and how many were only counted", () => {
  const sinceMs = Date.parse("2027-03-01T12:00:00Z");
  const text = (kept: number, leftOut: number) => coverageText({ sinceMs, kept, leftOut }, sinceMs, "UTC");
  expect(text(310, 1930)).toBe("Since 1 Mar, 12:00: 310 requests are kept, 1,930 others were only counted.");
  expect(text(1, 1)).toBe("Since 1 Mar, 12:00: 1 request is kept, 1 other was only counted.");
  expect(text(2, 0)).toBe("Since 1 Mar, 12:00: 2 requests are kept.");
});
