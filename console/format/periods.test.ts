import { expect, test } from "bun:test";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import type { ChosenPeriod } from "../../src/console/api/index.ts";
import {
  chosenIn,
  extentOf,
  inAddress,
  inputOfAddress,
  inQuery,
  periodText,
  periodWords,
  timeInAddress,
  timeOfAddress,
} from "./periods.ts";

const NOW = Date.parse("2027-03-01T12:34:56Z");

test("a time is in the address in UTC, and comes back as it was typed", () => {
  const inAddress = timeInAddress("2027-03-01T12:30") as string;
  expect(inAddress).toMatch(/^2027-0[23]-\d\dT\d\d:\d\dZ$/);
  expect(Date.parse(inAddress)).toBe(new Date(2027, 2, 1, 12, 30).getTime());
  expect(inputOfAddress(inAddress)).toBe("2027-03-01T12:30");
  expect(timeOfAddress("2027-03-01T12:30Z")).toBe(Date.parse("2027-03-01T12:30:00Z"));
  for (const text of [null, "", "soon", "1900-01-01T00:00Z"]) expect(timeOfAddress(text)).toBeUndefined();
  expect(timeInAddress("")).toBeNull();
});

test("a choice is in the address, and comes back from it", () => {
  const there = (chosen: ChosenPeriod): ChosenPeriod => {
    const given = Object.entries(inAddress(chosen)).filter(([, value]) => value !== null);
    return chosenIn(new URLSearchParams(given.map(([name, value]) => [name, String(value)])));
  };
  for (const span of ["hour", "day", "month"] as const) expect(there({ span })).toEqual({ span });
  const minutes = fc.integer({ min: 0, max: 4e7 }).map((minute) => minute * MINUTE_MS);
  fc.assert(
    fc.property(minutes, fc.option(minutes, { nil: undefined }), (fromMs, untilMs) => {
      expect(there({ fromMs, untilMs })).toEqual({ fromMs, untilMs });
    }),
  );
  for (const search of ["", "span=week", "to=2027-03-01T12:30Z", "from=soon"])
    expect(chosenIn(new URLSearchParams(search))).toEqual({ span: "hour" });
  expect(inQuery({ fromMs: 1, untilMs: 2 })).toEqual({ from: 1, until: 2 });
});

test("a period is named by its ends, each day once", () => {
  const at = (text: string): number => Date.parse(text);
  const text = (from: string, until?: string) =>
    periodText({ fromMs: at(from), untilMs: until === undefined ? undefined : at(until) }, NOW, "UTC");
  expect(text("2027-03-01T09:00Z", "2027-03-01T10:30Z")).toBe("09:00 to 10:30");
  expect(text("2027-02-28T23:00Z", "2027-03-01T10:30Z")).toBe("yesterday, 23:00 to 10:30");
  expect(text("2027-02-12T14:00Z", "2027-02-12T16:00Z")).toBe("12 Feb, 14:00 to 16:00");
  expect(text("2027-02-12T14:00Z", "2027-02-13T16:00Z")).toBe("12 Feb, 14:00 to 13 Feb, 16:00");
  expect(text("2027-02-12T14:00Z")).toBe("since 12 Feb, 14:00");
  expect(periodWords({ fromMs: 0 })).toBe("this period");
  expect(periodWords({ span: "day" })).toBe("24 hours");
});

test("a choice has a length, of which the future is no part", () => {
  expect(extentOf({ span: "day" }, NOW)).toEqual({ fromMs: NOW - DAY_MS, lengthMs: DAY_MS });
  expect(extentOf({ fromMs: NOW - HOUR_MS }, NOW).lengthMs).toBe(HOUR_MS);
  expect(extentOf({ fromMs: NOW - HOUR_MS, untilMs: NOW + HOUR_MS }, NOW).lengthMs).toBe(HOUR_MS);
  expect(extentOf({ fromMs: NOW - HOUR_MS, untilMs: NOW - MINUTE_MS }, NOW).lengthMs).toBe(59 * MINUTE_MS);
});
