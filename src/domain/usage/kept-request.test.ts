import { expect, test } from "bun:test";
import fc from "fast-check";
import { HOUR_MS, MINUTE_MS } from "../../base/time/clock.ts";
import {
  cutMessage,
  hourOf,
  KEPT_PER_HOUR,
  kindOf,
  leastIdAt,
  newShare,
  otherId,
  parseStatusRange,
  REQUEST_KINDS,
  STATUSES_OF,
  statusRangeText,
  takes,
  timeOf,
} from "./kept-request.ts";

const NONE = { from: 0, to: 0 };
const NOW = Date.parse("2027-03-01T12:00:00Z");

test("an id is the time in microseconds, which a JavaScript number holds", () => {
  expect(leastIdAt(NOW)).toBe(1_803_902_400_000_000n);
  expect(timeOf({ id: leastIdAt(NOW) + 999n })).toBe(NOW);
  expect(Number.isSafeInteger(Number(leastIdAt(Date.UTC(2255, 0, 1))))).toBe(true);
});

test("every other id of a millisecond is reached before one comes again", () => {
  for (const first of [leastIdAt(NOW), leastIdAt(NOW) + 999n]) {
    const ids = new Set<bigint>();
    for (let id = first; !ids.has(id); id = otherId(id)) ids.add(id);
    expect(ids.size).toBe(1000);
    expect(new Set([...ids].map((id) => timeOf({ id })))).toEqual(new Set([NOW]));
  }
});

test("every status is a failure or a success", () => {
  for (let status = 100; status < 600; status++) {
    const fitting = REQUEST_KINDS.filter((kind) => STATUSES_OF[kind].from <= status && status <= STATUSES_OF[kind].to);
    expect(fitting).toEqual([kindOf(status)]);
  }
  expect([kindOf(304), kindOf(399), kindOf(400), kindOf(503)]).toEqual(["success", "success", "failure", "failure"]);
});

test("a status is given by its number or by its class", () => {
  expect(parseStatusRange("404")).toEqual({ from: 404, to: 404 });
  expect(parseStatusRange("4xx")).toEqual({ from: 400, to: 499 });
  for (const text of ["200", "599", "1xx", "5xx"]) expect(statusRangeText(parseStatusRange(text) ?? NONE)).toBe(text);
  for (const text of ["", "4", "40", "4x", "4XX", "0xx", "6xx", "099", "600", "4000", "xxx", " 400", "+400", "4x4"])
    expect([text, parseStatusRange(text)]).toEqual([text, undefined]);
});

test("of an hour, 100 failures and 10 successes are taken, and then one failure a minute", () => {
  const share = newShare();
  const taken = (kind: "failure" | "success", count: number, atMs: number) =>
    Array.from({ length: count }, () => takes(share, kind, atMs)).filter(Boolean).length;
  expect(taken("success", 50, NOW)).toBe(10);
  expect(taken("failure", 500, NOW)).toBe(100);
  expect(taken("failure", 500, NOW + MINUTE_MS - 1)).toBe(0);
  expect(taken("failure", 500, NOW + MINUTE_MS)).toBe(1);
  expect(taken("failure", 500, NOW + MINUTE_MS + 1)).toBe(0);
  expect(taken("success", 50, NOW + 59 * MINUTE_MS)).toBe(0);
});

test("however requests come, no more are taken of an hour than its share and one a minute", () => {
  const times = fc.array(fc.integer({ min: 0, max: HOUR_MS - 1 }), { maxLength: 1_000 });
  fc.assert(
    fc.property(times, (all) => {
      const share = newShare();
      const taken = all.sort((a, b) => a - b).filter((ms) => takes(share, "failure", NOW + ms));
      expect(taken.length).toBe(share.taken.failure);
      expect(taken.length).toBeLessThanOrEqual(KEPT_PER_HOUR.failure + 60);
      expect(taken.length).toBeGreaterThanOrEqual(Math.min(all.length, KEPT_PER_HOUR.failure));
    }),
  );
});

test("an hour has a beginning and an end", () => {
  expect(hourOf(NOW + 1)).toEqual({ fromMs: NOW, beforeMs: NOW + HOUR_MS });
  expect(hourOf(NOW - 1).beforeMs).toBe(NOW);
});

test("a message is cut at 300 characters, never in the middle of one", () => {
  expect(cutMessage("x".repeat(300))).toBe("x".repeat(300));
  expect(cutMessage("x".repeat(301))).toBe(`${"x".repeat(299)}…`);
  expect(cutMessage(`${"x".repeat(298)}🐕🐕`).isWellFormed()).toBe(true);
});
