import { expect, test } from "bun:test";
import { parseDuration, parseFutureMoment, parseName, parsePlan, parseQuota } from "./options.ts";
import { suggest } from "./suggest.ts";

test("a plan that is misspelt is an error that suggests the right one", () => {
  expect(parsePlan("pro")).toBe("pro");
  expect(() => parsePlan("busines")).toThrow("Did you mean business?");
  expect(() => parsePlan("rpo")).toThrow("Did you mean pro?");
  expect(() => parsePlan("gold")).toThrow("The plans are free, pro, business, enterprise.");
  expect(() => parsePlan("constructor")).toThrow();
});

test("a suggestion is close or there is none", () => {
  expect(suggest("ENTERPRIZE", ["free", "enterprise"])).toBe("enterprise");
  expect(suggest("xyz", ["free", "enterprise"])).toBeUndefined();
  expect(suggest("", [])).toBeUndefined();
});

test("durations", () => {
  expect(parseDuration("24h")).toBe(86_400_000);
  expect(parseDuration("30m")).toBe(1_800_000);
  expect(parseDuration("0")).toBe(0);
  expect(parseDuration("365d")).toBe(365 * 86_400_000);
  for (const text of ["", "24", "h", "-1h", "1.5h", "1 h", "366d", "1w", "9999999h"])
    expect(() => parseDuration(text)).toThrow("30m");
});

test("moments in the future", () => {
  expect(parseFutureMoment("2999-01-01")).toBe(Date.UTC(2999, 0, 1));
  expect(parseFutureMoment("2999-01-01T09:30:00+02:00")).toBe(Date.UTC(2999, 0, 1, 7, 30));
  for (const text of ["tomorrow", "2999-13-01", "2999-02-30", "2999-1-1", "01.01.2999", "2999-01-01T09:30"])
    expect(() => parseFutureMoment(text)).toThrow("Give a day");
  expect(() => parseFutureMoment("2020-01-01")).toThrow("past");
});

test("quotas and names", () => {
  expect(parseQuota("1000000000")).toBe(1_000_000_000);
  for (const text of ["0", "-1", "1.5", "1e3", "1000000001", "many"])
    expect(() => parseQuota(text)).toThrow("whole number");
  expect(parseName("Front desk 🐾")).toBe("Front desk 🐾");
  for (const text of ["", " ", "a\u001b[31m", "x".repeat(101)]) expect(() => parseName(text)).toThrow("A name must");
});
