import { describe, expect, test } from "bun:test";
import { FakeClock } from "../../../test/harness/time/clock.ts";
import { Flood, HeldFlood } from "./floods.ts";

test("the first hundred responses in a tenth of a second are fine, and the rest are a flood", () => {
  const clock = new FakeClock();
  const flood = new Flood(() => clock.nowMs());
  const many = () => Array.from({ length: 150 }, () => flood.isReached()).indexOf(true);
  expect(many()).toBe(100);
  clock.advance(99);
  expect(flood.isReached()).toBe(true);
  clock.advance(1);
  expect(many()).toBe(100);
});

describe("refusals", () => {
  test("are not held back up to a hundred in a tenth of a second", () => {
    const clock = new FakeClock();
    const flood = new HeldFlood(() => clock.nowMs());
    const response = new Response();
    for (let i = 0; i < 300; i++) {
      if (i % 100 === 0) clock.advance(100);
      expect(flood.bound(response)).toBe(response);
    }
  });

  test("beyond that leave one after the other, at least a millisecond apart", async () => {
    const clock = new FakeClock();
    const flood = new HeldFlood(() => clock.nowMs());
    for (let i = 0; i < 100; i++) flood.bound(new Response());
    const startedAtMs = performance.now();
    const held = Array.from({ length: 150 }, async (_, i) => {
      const response = new Response();
      expect(await flood.bound(response)).toBe(response);
      // Timers are precise to a millisecond.
      expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(i);
    });
    await Promise.all(held);
  });
});
