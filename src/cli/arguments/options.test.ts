import { describe, expect, test } from "bun:test";
import { parseDuration, parseExpiry, parsePlan, parseQuota, parseScopes, parseSince } from "./options.ts";

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
  // The use-case says how long an overlap can be at most.
  expect(parseDuration("9999999h")).toBe(9_999_999 * 3_600_000);
  for (const text of ["", "24", "h", "-1h", "1.5h", "1 h", "1w"]) expect(() => parseDuration(text)).toThrow("30m");
});

describe("--expires", () => {
  const now = Date.UTC(2026, 10, 16, 3, 40);

  test("a date is the end of that day in UTC: the key works through it", () => {
    expect(parseExpiry("2026-11-16", now)).toBe(Date.UTC(2026, 10, 17));
    expect(parseExpiry("2028-02-29", now)).toBe(Date.UTC(2028, 2, 1));
    expect(parseExpiry("2999-12-31", now)).toBe(Date.UTC(3000, 0, 1));
    // The use case decides whether it is allowed.
    expect(parseExpiry("2020-01-01", now)).toBe(Date.UTC(2020, 0, 2));
  });

  test("a moment has a time zone, and may be written as lists show it", () => {
    expect(parseExpiry("2999-01-01T09:30Z", now)).toBe(Date.UTC(2999, 0, 1, 9, 30));
    expect(parseExpiry("2999-01-01 09:30Z", now)).toBe(Date.UTC(2999, 0, 1, 9, 30));
    expect(parseExpiry("2999-01-01T09:30:15.250+02:00", now)).toBe(Date.UTC(2999, 0, 1, 7, 30, 15, 250));
    expect(parseExpiry("2999-01-01T24:00Z", now)).toBe(Date.UTC(2999, 0, 2));
    expect(() => parseExpiry("2999-01-01T09:30", now)).toThrow("needs a time zone: 2999-01-01T09:30Z for UTC");
    for (const text of ["2999-01-01T25:00Z", "2999-01-01T09:30:60Z", "2999-01-01T09:30+99:99"])
      expect(() => parseExpiry(text, now)).toThrow("no such time of day");
  });

  test("a span counts from now", () => {
    expect(parseExpiry("30d", now)).toBe(now + 30 * 86_400_000);
    expect(parseExpiry("12h", now)).toBe(now + 12 * 3_600_000);
    expect(parseExpiry("90m", now)).toBe(now + 90 * 60_000);
    expect(parseExpiry("36500d", now)).toBe(now + 36_500 * 86_400_000);
    expect(() => parseExpiry("30D", now)).toThrow("or a span such as 30d.");
    for (const text of ["0d", "00m"]) expect(() => parseExpiry(text, now)).toThrow("A span must be longer than 0.");
    for (const text of ["36501d", `${"9".repeat(400)}d`])
      expect(() => parseExpiry(text, now)).toThrow("A span can be at most 36500d.");
  });

  test("never is never", () => {
    expect(parseExpiry("never", now)).toBe("never");
    for (const text of ["9999-12-31", "9999-12-31T00:00:01Z"])
      expect(() => parseExpiry(text, now)).toThrow("too far ahead. For a key that does not expire, give never.");
  });

  test("anything else is an error that says what can be given", () => {
    for (const text of ["2999-13-01", "2999-02-30", "2999-02-29", "2999-02-30T09:30:00Z", "2999-00-01"])
      expect(() => parseExpiry(text, now)).toThrow("There is no such day in the calendar.");
    for (const text of ["", "tomorrow", "2999-1-1", "01.01.2999", "12999-01-01", "30", "-5d", "1.5h", "30 d", "1w"])
      expect(() => parseExpiry(text, now)).toThrow("Give a date such as 2027-01-31");
  });
});

test("scopes", () => {
  expect(parseScopes("orders:read, pets:read,pets:read")).toEqual(["pets:read", "orders:read"]);
  expect(parseScopes("all")).toEqual(["pets:read", "pets:write", "orders:read", "orders:write"]);
  expect(() => parseScopes("pets:raed")).toThrow("Did you mean pets:read?");
  for (const text of ["", ",", "pets:read,", "pets", "pets:read orders:read", "all,pets:read"])
    expect(() => parseScopes(text)).toThrow("Give all, or scopes separated by commas: pets:read, pets:write, orders");
});

test("quotas", () => {
  expect(parseQuota("1000000000")).toBe(1_000_000_000);
  for (const text of ["", "-1", "1.5", "1e3", "0x10", "9".repeat(16), "many"])
    expect(() => parseQuota(text)).toThrow("A quota must be a whole number from 1 to 1000000000.");
});

test("--since is a span before now, the beginning of a day in UTC, or a moment, and not in the future", () => {
  const now = Date.UTC(2026, 10, 16, 3, 40);
  expect(parseSince("7d", now)).toBe(Date.UTC(2026, 10, 9, 3, 40));
  expect(parseSince("90m", now)).toBe(Date.UTC(2026, 10, 16, 2, 10));
  expect(parseSince("36500d", now)).toBe(0);
  expect(parseSince("2026-11-16", now)).toBe(Date.UTC(2026, 10, 16));
  expect(parseSince("2026-11-16T04:00+01:00", now)).toBe(Date.UTC(2026, 10, 16, 3));
  expect(parseSince("1969-12-31", now)).toBe(0);
  for (const text of ["2026-11-17", "2026-11-16T03:41Z", "9999-12-31"])
    expect(() => parseSince(text, now)).toThrow("It is in the future.");
  expect(() => parseSince("0d", now)).toThrow("longer than 0");
  expect(() => parseSince("99999d", now)).toThrow(/^A span can be at most 36500d\.$/);
  expect(() => parseSince("2026-02-30", now)).toThrow("no such day");
  for (const text of ["", "yesterday", "7", "-7d", "never"]) expect(() => parseSince(text, now)).toThrow("Give a date");
});
