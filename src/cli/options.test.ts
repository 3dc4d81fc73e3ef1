import { expect, test } from "bun:test";
import { parseDatabase, parseDuration, parsePlan, parseQuota, parseTime } from "./options.ts";

test("a misspelt plan is an error that suggests the right one", () => {
  expect(parsePlan("pro")).toBe("pro");
  expect(() => parsePlan("busines")).toThrow("Did you mean business?");
  expect(() => parsePlan("PRO")).toThrow("Did you mean pro?");
  expect(() => parsePlan("gold")).toThrow(/^The plans are free, pro, business, enterprise\.$/);
  expect(() => parsePlan("constructor")).toThrow("The plans are");
});

test("durations", () => {
  expect(parseDuration("24h")).toBe(86_400_000);
  expect(parseDuration("30m")).toBe(1_800_000);
  expect(parseDuration("15s")).toBe(15_000);
  expect(parseDuration("365d")).toBe(365 * 86_400_000);
  expect(parseDuration("0")).toBe(0);
  for (const text of ["", "24", "h", "-1h", "1.5h", "1 h", "1w", "9999999h"])
    expect(() => parseDuration(text)).toThrow("30m");
});

test("dates and times", () => {
  expect(parseTime("2999-01-01")).toBe(Date.UTC(2999, 0, 1));
  expect(parseTime("2999-01-01T09:30Z")).toBe(Date.UTC(2999, 0, 1, 9, 30));
  expect(parseTime("2999-01-01T09:30:00+02:00")).toBe(Date.UTC(2999, 0, 1, 7, 30));
  for (const text of [
    "tomorrow",
    "2999-13-01",
    "2999-02-30",
    "2999-02-30T09:30:00Z",
    "2999-01-01T25:00Z",
    "2999-1-1",
    "01.01.2999",
    "2999-01-01T09:30",
  ])
    expect(() => parseTime(text)).toThrow("Give a date");
});

test("quotas", () => {
  expect(parseQuota("1000000000")).toBe(1_000_000_000);
  for (const text of ["", "-1", "1.5", "1e3", "0x10", "9".repeat(16), "many"])
    expect(() => parseQuota(text)).toThrow("A quota must be a whole number from 1 to 1000000000.");
});

test("a database URL that is wrong is not quoted, since it may hold a password", () => {
  expect(parseDatabase("sqlite:a.db")).toEqual({ kind: "sqlite", path: "a.db" });
  const parse = () => parseDatabase("mysql://root:hunter2@host/x");
  expect(parse).toThrow("A database URL must be sqlite: followed by a file name");
  expect(parse).not.toThrow("hunter2");
});
