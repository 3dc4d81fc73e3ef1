import { expect, test } from "bun:test";
import { Pace } from "./pace.ts";

/** So many animals take a millisecond. */
const PER_MS = 100;

function settle(pace: Pace, othersWrite: boolean, fromMs: number): { heldMs: number; pauseMs: number; nowMs: number } {
  let [heldMs, pauseMs, nowMs] = [0, 0, fromMs];
  for (let i = 0; i < 50; i++) {
    heldMs = pace.size / PER_MS;
    nowMs += 100;
    pauseMs = pace.after({ heldMs, othersWrite }, nowMs);
  }
  return { heldMs, pauseMs, nowMs };
}

test("alone, a batch takes nearly 50 ms and none waits; beside others one, and most of the time is left to them", () => {
  const pace = new Pace();
  const alone = settle(pace, false, 0);
  expect(alone.heldMs).toBeGreaterThan(40);
  expect(alone.heldMs).toBeLessThan(50);
  expect(alone.pauseMs).toBe(0);
  pace.after({ heldMs: alone.heldMs, othersWrite: true }, alone.nowMs);
  expect(pace.size / PER_MS).toBeLessThan(2);
  const beside = settle(pace, true, alone.nowMs);
  expect(beside.heldMs).toBeLessThan(2);
  expect(beside.pauseMs).toBeGreaterThanOrEqual(5);
  expect(settle(pace, false, beside.nowMs + 2_000)).toMatchObject({ pauseMs: 0 });
});

test("one batch that took long, or no time at all, changes the next by half at most", () => {
  const pace = new Pace();
  const { size } = pace;
  pace.after({ heldMs: 10_000, othersWrite: false }, 0);
  expect(pace.size).toBe(size / 2);
  pace.after({ heldMs: 0, othersWrite: false }, 0);
  expect(pace.size).toBe((size / 2) * 1.5);
});
