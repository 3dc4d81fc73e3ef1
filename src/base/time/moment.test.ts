import { expect, test } from "bun:test";
import { parseMoment } from "./moment.ts";

test("a time of RFC 3339 is read to the millisecond, in any zone", () => {
  expect(parseMoment("2026-11-15T09:30:00Z")).toBe(Date.UTC(2026, 10, 15, 9, 30));
  expect(parseMoment("2026-11-15T09:30:00.123Z")).toBe(Date.UTC(2026, 10, 15, 9, 30, 0, 123));
  expect(parseMoment("2026-11-15T09:30:00.123456789Z")).toBe(Date.UTC(2026, 10, 15, 9, 30, 0, 123));
  expect(parseMoment("2026-11-15T10:30:00+01:00")).toBe(Date.UTC(2026, 10, 15, 9, 30));
  expect(parseMoment("2028-02-29T00:00:00Z")).toBe(Date.UTC(2028, 1, 29));
});

test("what is no time, or not in the calendar, or without a zone, is not read", () => {
  for (const text of [
    "",
    "now",
    "2026-11-15",
    "2026-11-15T09:30Z",
    "2026-11-15T09:30:00",
    "2026-11-15 09:30:00Z",
    "2026-11-15T09:30:00 01:00",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-11-15T24:30:00Z",
    "2026-11-15T09:60:00Z",
    "2026-11-15T09:30:00+99:00",
    "+002026-11-15T09:30:00Z",
    "2026-11-15T09:30:00Z ",
    "1763199000000",
    "٢٠٢٦-11-15T09:30:00Z",
  ])
    expect([text, parseMoment(text)]).toEqual([text, undefined]);
});
