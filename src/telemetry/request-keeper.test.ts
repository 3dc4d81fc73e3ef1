import { expect, test } from "bun:test";
import { HOUR_MS } from "../base/time/clock.ts";
import { timeOf } from "../domain/usage/kept-request.ts";
import { RequestKeeper } from "./request-keeper.ts";

const NOW = Date.parse("2027-03-01T12:30:00Z");
const REQUEST = { keyId: "key_a", method: "GET", path: "/v1/pets", requestId: "r", latencyMs: 1 };
const NOTHING_MORE = { status: 400, code: undefined, message: undefined, idempotencyKey: undefined };

/** Offers requests, and returns how many were taken. */
function offer(keeper: RequestKeeper, count: number, status: number, atMs = NOW, keyId = "key_a"): number {
  let taken = 0;
  for (let i = 0; i < count; i++)
    if (keeper.wants(keyId, status, atMs)) {
      keeper.keep({ ...REQUEST, ...NOTHING_MORE, status, keyId }, atMs);
      taken++;
    }
  return taken;
}

test("each key and hour has a share of its own, of failures and of successes", () => {
  const keeper = new RequestKeeper();
  expect(offer(keeper, 1_000, 429)).toBe(100);
  expect(offer(keeper, 1_000, 200)).toBe(10);
  expect(offer(keeper, 1_000, 200, NOW, "key_b")).toBe(10);
  expect(keeper.take()).toHaveLength(120);
  expect(keeper.take()).toEqual([]);
  // Requests that were stored count all the same.
  expect(offer(keeper, 1_000, 400)).toBe(0);
  expect(offer(keeper, 1_000, 400, NOW + HOUR_MS)).toBe(100);
});

test("no more than 1,000 wait, and beyond a number of keys requests are only counted", () => {
  const keeper = new RequestKeeper();
  for (let i = 0; i < 20; i++) offer(keeper, 100, 500, NOW, `key_${i}`);
  expect(keeper.take()).toHaveLength(1_000);
  expect(offer(new RequestKeeper(10), 100, 500)).toBe(10);
  const few = new RequestKeeper(1_000, 2);
  expect(["a", "b", "c", "a"].map((keyId) => offer(few, 1, 400, NOW, keyId))).toEqual([1, 1, 0, 1]);
});

test("ids differ, have the time in them, and ascend with it", () => {
  const keeper = new RequestKeeper();
  for (let ms = 0; ms < 10; ms++) offer(keeper, 100, 400, NOW + ms + 0.25, `key_${ms}`);
  const ids = keeper.take().map(({ id }) => id);
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.map((id) => timeOf({ id }))).toEqual(ids.map((_, i) => NOW + Math.floor(i / 100)));
});

test("a clock that is set back or forward begins another hour", () => {
  const keeper = new RequestKeeper();
  for (const atMs of [NOW, NOW - HOUR_MS, NOW + 48 * HOUR_MS]) expect(offer(keeper, 20, 200, atMs)).toBe(10);
});
