import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/base/time/clock.ts";
import {
  ago,
  ahead,
  calendarDay,
  clockTime,
  duration,
  expiry,
  localInput,
  moment,
  second,
  upToMinute,
  utc,
} from "./time.ts";

const BERLIN = "Europe/Berlin";
/** 16 Nov 2026, 15:00 in Berlin. */
const NOW = Date.UTC(2026, 10, 16, 14, 0);

test("times are in the viewer's zone, and UTC is exact", () => {
  expect(clockTime(NOW, BERLIN)).toBe("15:00");
  expect(clockTime(NOW, "Asia/Kolkata")).toBe("19:30");
  expect(clockTime(Date.UTC(2026, 10, 16, 23, 30), BERLIN)).toBe("00:30");
  expect(utc(NOW + 2 * SECOND_MS)).toBe("2026-11-16 14:00:02 UTC");
});

test("a day has its year only if that is another one", () => {
  expect(calendarDay(NOW, NOW, BERLIN)).toBe("16 Nov");
  expect(calendarDay(Date.UTC(2025, 8, 3), NOW, BERLIN)).toBe("3 Sep 2025");
  // In Berlin, the year has begun already.
  expect(calendarDay(Date.UTC(2026, 11, 31, 23, 30), NOW, BERLIN)).toBe("1 Jan 2027");
});

test("a moment is told by the calendar, not by hours", () => {
  const at = (day: number, hour: number) => moment(Date.UTC(2026, 10, day, hour), NOW, BERLIN);
  expect([at(16, 8), at(16, 22), at(16, 23), at(15, 22), at(15, 23), at(12, 8)]).toEqual([
    "09:00",
    "23:00",
    "tomorrow, 00:00",
    "yesterday, 23:00",
    "00:00",
    "12 Nov, 09:00",
  ]);
});

test("a request is told to the second", () => {
  expect(second(NOW + 2_999, NOW, BERLIN)).toBe("15:00:02");
  expect(second(Date.UTC(2026, 10, 12, 8, 0, 59), NOW, "Asia/Kolkata")).toBe("12 Nov, 13:30:59");
});

test("across the end of summer time, tomorrow is still tomorrow", () => {
  const evening = Date.UTC(2026, 9, 24, 20, 0);
  expect(moment(Date.UTC(2026, 9, 25, 22, 30), evening, BERLIN)).toBe("tomorrow, 23:30");
});

describe("how long ago", () => {
  test("in the largest unit that fits, then as a day", () => {
    const past = [
      -5 * SECOND_MS,
      0,
      59 * SECOND_MS,
      2 * MINUTE_MS,
      59 * MINUTE_MS,
      HOUR_MS,
      14 * HOUR_MS,
      16 * HOUR_MS,
    ];
    expect(past.map((ms) => ago(NOW - ms, NOW, BERLIN))).toEqual([
      "now",
      "now",
      "now",
      "2 min ago",
      "59 min ago",
      "1 h ago",
      "14 h ago",
      "yesterday",
    ]);
    expect(ago(NOW - 4 * DAY_MS, NOW, BERLIN)).toBe("12 Nov");
    expect(ago(NOW - 400 * DAY_MS, NOW, BERLIN)).toBe("12 Oct 2025");
  });

  test("just after midnight, the last hours are still told in hours", () => {
    const midnight = Date.UTC(2026, 10, 15, 23, 30);
    expect(ago(midnight - 2 * HOUR_MS, midnight, BERLIN)).toBe("2 h ago");
  });
});

test("how long until then", () => {
  const left = [0, 59 * SECOND_MS, 3 * MINUTE_MS, 5 * HOUR_MS, 47 * HOUR_MS, 2 * DAY_MS, 46.9 * DAY_MS];
  expect(left.map((ms) => ahead(NOW + ms, NOW))).toEqual([
    "in less than a minute",
    "in less than a minute",
    "in 3 min",
    "in 5 h",
    "in 47 h",
    "in 2 days",
    "in 46 days",
  ]);
});

test("what is said to be left is never more than there is", () => {
  fc.assert(
    fc.property(fc.integer({ min: MINUTE_MS, max: 4000 * DAY_MS }), (leftMs) => {
      const [, amount = "", unit = ""] = /^in (\d+) (min|h|days)$/.exec(ahead(NOW + leftMs, NOW)) ?? [];
      const unitMs = { min: MINUTE_MS, h: HOUR_MS, days: DAY_MS }[unit] as number;
      expect(Number(amount) * unitMs).toBeLessThanOrEqual(leftMs);
      expect((Number(amount) + 1) * unitMs).toBeGreaterThan(leftMs);
    }),
  );
});

test("an expiry has its time and how far off it is", () => {
  expect(expiry(Date.UTC(2027, 0, 1, 8), NOW, BERLIN)).toBe("1 Jan 2027, 09:00, in 45 days");
  expect(expiry(NOW - DAY_MS, NOW, BERLIN)).toBe("yesterday, 15:00, has passed");
});

test("durations", () => {
  const all = [0, 40 * SECOND_MS, MINUTE_MS, HOUR_MS, 3 * HOUR_MS + 12 * MINUTE_MS, 47 * HOUR_MS, 6.5 * DAY_MS];
  expect(all.map(duration)).toEqual(["0 s", "40 s", "1 min", "1 h", "3 h 12 min", "47 h", "6 days"]);
});

test("a ban that is said to last until a minute has not ended before it", () => {
  expect(upToMinute(NOW)).toBe(NOW);
  expect(upToMinute(NOW + 1)).toBe(NOW + MINUTE_MS);
});

test("the value of a date field is the minute that a person would type, and comes back", () => {
  for (const ms of [NOW, Date.UTC(2026, 6, 1, 3, 7)]) {
    expect(localInput(ms)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
    expect(new Date(localInput(ms)).getTime()).toBe(ms);
  }
});
