import { expect, test } from "bun:test";
import { formatDuration, formatMinute, formatNumber, formatTime, isoTime } from "./print.ts";

test("times are UTC: exact to the second, or to the minute, in one form for people", () => {
  const ms = Date.UTC(2026, 10, 16, 3, 40, 59, 999);
  expect(isoTime(ms)).toBe("2026-11-16T03:40:59Z");
  expect(formatTime(ms)).toBe("2026-11-16 03:40:59Z");
  expect(formatMinute(ms)).toBe("2026-11-16 03:40Z");
});

test("durations are in the largest unit that says them in whole numbers", () => {
  expect([1000, 2000, 60_000, 90_000, 300_000, 3_600_000, 5_400_000, 86_400_000].map(formatDuration)).toEqual([
    "1 second",
    "2 seconds",
    "1 minute",
    "90 seconds",
    "5 minutes",
    "1 hour",
    "90 minutes",
    "24 hours",
  ]);
  expect(formatDuration(1200)).toBe("2 seconds");
});

test("numbers have commas, wherever this runs", () => {
  expect([0, 60, 1000, 1_000_000_000].map(formatNumber)).toEqual(["0", "60", "1,000", "1,000,000,000"]);
});
