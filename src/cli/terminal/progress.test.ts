import { expect, test } from "bun:test";
import { barText, Progress } from "./progress.ts";

test("a line never exceeds its terminal, and keeps the most important facts", () => {
  const work = { label: "export", unit: "animals", total: 10_000_000 };
  for (let width = 1; width <= 200; width++)
    expect(barText(work, 1_234_567, 987_654, width).length).toBeLessThan(Math.max(2, width));
  expect(barText(work, 1_234_567, 987_654, 120)).toBe(
    "export  ████░░░░░░░░░░░░░░░░░░░░░░░░░░   12 %  1,234,567 of 10,000,000 animals  987,654 animals/s  9 s left",
  );
  expect(barText(work, 1_234_567, undefined, 30)).toBe("export  ██░░░░░░░░░░░░   12 %");
  expect(barText({ ...work, total: 0 }, 0, undefined, 80)).toContain("100 %");
  expect(barText(work, 1_000, 2, 120)).toContain("1388 h 45 min left");
});

test("in a log, there is a line every ten seconds, with the same facts", () => {
  const lines: string[] = [];
  let nowMs = 0;
  const surroundings = { nowMs: () => nowMs, sayLine: (text: string) => lines.push(text), columns: () => undefined };
  const progress = new Progress(surroundings);
  const step = { label: "copy animals", unit: "rows", total: 100_000 };
  // The work of an earlier run tells nothing about the speed of this one.
  for (let second = 0; second <= 25; second++) {
    nowMs = second * 1000;
    progress.report(step, 50_000 + second * 1000);
  }
  progress.say("by the way");
  progress.end();
  progress.report(step, 100_000);
  expect(lines).toEqual([
    "copy animals: 60 %, 60,000 of 100,000 rows, 1,000 rows/s, 40 s left",
    "copy animals: 70 %, 70,000 of 100,000 rows, 1,000 rows/s, 30 s left",
    "by the way",
  ]);
});
