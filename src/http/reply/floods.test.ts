import { describe, expect, test } from "bun:test";
import { FakeClock } from "../../../test/harness/time/clock.ts";
import { Flood, HeldFlood } from "./floods.ts";

const REQUEST = new Request("http://127.0.0.1/");

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
      expect(flood.bound(response, REQUEST)).toBe(response);
    }
  });

  test("beyond that leave one after the other, at least a millisecond apart", async () => {
    const clock = new FakeClock();
    const flood = new HeldFlood(() => clock.nowMs());
    for (let i = 0; i < 100; i++) flood.bound(new Response(), REQUEST);
    const startedAtMs = performance.now();
    const held = Array.from({ length: 150 }, async (_, i) => {
      const response = new Response();
      expect(await flood.bound(response, REQUEST)).toBe(response);
      // Timers are precise to a millisecond.
      expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(i);
    });
    await Promise.all(held);
  });

  test("are let go when their connection is closed, so that nobody's responses take up memory", async () => {
    const clock = new FakeClock();
    const flood = new HeldFlood(() => clock.nowMs());
    for (let i = 0; i < 100; i++) flood.bound(new Response(), REQUEST);
    const connection = new AbortController();
    const abandoned = new Request(REQUEST, { signal: connection.signal });
    const inTurn = Array.from({ length: 500 }, () => flood.bound(new Response(), REQUEST));
    const last = flood.bound(new Response(), abandoned);
    connection.abort();
    const first = await Promise.race([Promise.resolve(last).then(() => "let go"), inTurn.at(-1)]);
    expect(first).toBe("let go");
  });
});
