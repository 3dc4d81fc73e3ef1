import { describe, expect, test } from "bun:test";
import { openMemoryMeter } from "../../test/harness/meters/memory.ts";
import { FakeClock } from "../../test/harness/time/clock.ts";
import { ratePolicyOfAddress, ratePolicyOfKey, type Verdict } from "../domain/limits/tally.ts";
import type { MemoryMeter } from "./memory.ts";
import { WAYS } from "./tally-table.ts";

const TWICE = ratePolicyOfAddress(2);
const judge = (meter: MemoryMeter, subject: string) => meter.judge(subject, TWICE) as Verdict;

describe("MemoryMeter", () => {
  test("counts each address separately, and afresh in the next window", () => {
    const clock = new FakeClock();
    const meter = openMemoryMeter(clock);
    const kinds = (address: string) => [1, 2, 3].map(() => judge(meter, address).kind);
    expect(kinds("a")).toEqual(["pass", "pass", "exhausted"]);
    expect(kinds("b")).toEqual(["pass", "pass", "exhausted"]);
    clock.advance(60_000);
    expect(kinds("a")).toEqual(["pass", "pass", "exhausted"]);
  });

  test("when there is no room, the oldest window is forgotten first", () => {
    const clock = new FakeClock();
    const meter = openMemoryMeter(clock, WAYS);
    for (let i = 0; i < 1000; i++) judge(meter, `address ${i}`);
    for (const address of ["a", "a", "b"]) {
      clock.advance(1);
      judge(meter, address);
    }
    clock.advance(1);
    for (let i = 0; i < WAYS - 1; i++) judge(meter, `later ${i}`);
    expect(judge(meter, "b").quotaStatus.shown.remaining).toBe(0);
    expect(judge(meter, "a").quotaStatus.shown.remaining).toBe(1);
  });

  test("what is spent is forgotten before the oldest window", () => {
    const clock = new FakeClock();
    const meter = openMemoryMeter(clock, WAYS);
    const daily = ratePolicyOfKey({ perMinute: 60, perDay: 1 }, undefined);
    meter.judge("a key in its day", daily);
    for (let i = 1; i < WAYS; i++) judge(meter, `address ${i}`);
    clock.advance(60_000);
    for (let i = 1; i < WAYS; i++) judge(meter, `later ${i}`);
    expect((meter.judge("a key in its day", daily) as Verdict).kind).toBe("exhausted");
  });

  test("to start again before its window ends, an address needs about as many others as there is room for", () => {
    const needed = Array.from({ length: 40 }, () => {
      const clock = new FakeClock();
      const meter = openMemoryMeter(clock, 8 * WAYS);
      judge(meter, "greedy");
      clock.advance(1);
      let others = 0;
      while (meter.tally("greedy").minute.used > 0) judge(meter, `address ${others++}`);
      return others / (8 * WAYS);
    });
    const mean = needed.reduce((sum, share) => sum + share) / needed.length;
    // Each of the 40 deviates by 17 % (a negative binomial distribution), so their mean by 3 %.
    expect(mean).toBeWithin(0.8, 1.2);
  });

  test("a new subject costs no more when it is full, however many have come before", () => {
    const meter = openMemoryMeter(new FakeClock(), 2 ** 14);
    let subjects = 0;
    const msFor = (count: number): number => {
      const before = process.cpuUsage();
      for (let i = 0; i < count; i++) judge(meter, `address ${++subjects}`);
      return process.cpuUsage(before).user / 1000;
    };
    const filling = msFor(2 ** 14);
    msFor(2 ** 14);
    const full = msFor(2 ** 14);
    // It looks at the tallies of one bucket; looking at all of them would take a thousand times as long.
    expect(full / filling).toBeLessThan(20);
  });

  test("a clock that is set back a little closes no window, and one that is set back further does", () => {
    const clock = new FakeClock();
    const meter = openMemoryMeter(clock);
    for (const used of [1, 2]) {
      judge(meter, "a");
      expect(meter.tally("a").minute.used).toBe(used);
    }
    clock.jump(-1);
    expect(judge(meter, "a").kind).toBe("exhausted");
    clock.jump(-60_000);
    expect(judge(meter, "a").kind).toBe("pass");
  });
});
