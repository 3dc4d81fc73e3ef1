import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DAY_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import { SCOPES, type Scope } from "../../src/domain/keys/scope.ts";
import { accessText, busiestDayText, planText, shareOf, stateLabel, usedText } from "./keys.ts";

const BERLIN = "Europe/Berlin";
const NOW = Date.UTC(2026, 10, 16, 13, 21, 30);

describe("the state of a key, in words", () => {
  const words = (key: Partial<Parameters<typeof stateLabel>[0]>) =>
    stateLabel({ state: "active", bannedUntilMs: null, expiresAtMs: null, ...key }, NOW, BERLIN);

  test("says until when, and needs a person only if it does", () => {
    expect(words({})).toEqual({ text: "Active", tone: "good" });
    expect(words({ expiresAtMs: NOW + 46 * DAY_MS })).toEqual({ text: "Expires in 46 days", tone: "good" });
    expect(words({ expiresAtMs: NOW + 3 * DAY_MS })).toEqual({ text: "Expires in 3 days", tone: "warning" });
    expect(words({ state: "suspended", expiresAtMs: NOW + DAY_MS })).toEqual({ text: "Suspended", tone: "quiet" });
    expect(words({ state: "expired", expiresAtMs: NOW - 44 * DAY_MS })).toEqual({
      text: "Expired 3 Oct",
      tone: "quiet",
    });
    expect(words({ state: "revoked" })).toEqual({ text: "Revoked", tone: "problem" });
  });

  test("a ban is rounded up to the minute", () => {
    const banned = (ms: number) => words({ state: "banned", bannedUntilMs: NOW + ms });
    expect(banned(14 * MINUTE_MS)).toEqual({ text: "Banned until 14:36", tone: "warning" });
    expect(banned(DAY_MS)).toEqual({ text: "Banned until tomorrow, 14:22", tone: "warning" });
    expect(words({ state: "banned" }).text).toBe("Banned");
  });
});

describe("the busiest day of a key", () => {
  test("is compared with the largest plan that is too small for it", () => {
    expect(busiestDayText(1)).toBe("Its busiest day of the last 30 had 1 request.");
    expect(busiestDayText(1_000)).toBe("Its busiest day of the last 30 had 1,000 requests.");
    expect(busiestDayText(1_001)).toBe("Its busiest day of the last 30 had 1,001 requests, more than Free allows.");
    expect(busiestDayText(12_000)).toBe("Its busiest day of the last 30 had 12,000 requests, more than Pro allows.");
    expect(busiestDayText(1e9)).toBe(
      "Its busiest day of the last 30 had 1,000,000,000 requests, more than Business allows.",
    );
  });
});

describe("access", () => {
  test("in words", () => {
    const of = (...scopes: Scope[]) => accessText(scopes);
    expect(accessText(SCOPES)).toBe("Everything");
    expect(of("pets:read", "orders:read")).toBe("Read only");
    expect(of("pets:read", "pets:write")).toBe("Read and write pets");
    expect(of("pets:read", "pets:write", "orders:read")).toBe("Read and write pets; read orders");
    expect(of("pets:read", "orders:read", "orders:write")).toBe("Read pets; read and write orders");
    expect(of("orders:write")).toBe("Write orders");
    expect(of()).toBe("Nothing");
  });

  test("different access is never called the same", () => {
    fc.assert(
      fc.property(fc.subarray([...SCOPES]), fc.subarray([...SCOPES]), (a, b) => {
        expect(accessText(a) === accessText(b)).toBe(String(a) === String(b));
      }),
    );
  });
});

test("a plan has its quotas with it", () => {
  expect(planText("pro")).toBe("Pro: 300 per minute, 10,000 per day");
  expect(planText("enterprise")).toBe("Enterprise: quotas of its own");
});

describe("a quota", () => {
  const window = (used: number, quota: number) => ({ used, quota, resetsAtMs: null });

  test("in words", () => {
    expect(usedText(window(31_044, 100_000))).toBe("31,044 of 100,000");
  });

  test("as a bar, it is never longer than full, and hot when it is nearly used up", () => {
    expect(shareOf(window(31, 100))).toEqual({ share: 0.31, isHot: false });
    expect(shareOf(window(90, 100))).toEqual({ share: 0.9, isHot: true });
    expect(shareOf(window(150, 100))).toEqual({ share: 1, isHot: true });
    expect(shareOf(window(0, 0))).toEqual({ share: 1, isHot: true });
  });
});
