import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MINUTE_MS } from "../base/time/clock.ts";
import { startOf } from "../domain/usage/grains.ts";
import { type CountedKey, newCountedKey, OUTCOMES, usageOf } from "../domain/usage/usage.ts";
import { UsageCounter } from "./usage-counter.ts";

const NOW = Date.parse("2027-03-01T12:00:30Z");

const anyCount = fc.record({
  keyId: fc.constantFrom("key_a", "key_b", undefined),
  /** The keyring evicts keys now and then, and has one entry for each secret of a key. */
  isKnown: fc.boolean(),
  outcome: fc.constantFrom(...OUTCOMES),
  ms: fc.double({ min: 0, max: 3_000, noNaN: true }),
  atMs: fc.integer({ min: 0, max: 5 * MINUTE_MS }).map((ms) => NOW + ms),
});

describe("what is counted", () => {
  test("is taken once, by minute and key, and in the totals, whatever the clock does", () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyCount, { maxLength: 50 }), { maxLength: 4 }), (rounds) => {
        const counter = new UsageCounter();
        const known = new Map<string, CountedKey>();
        const keyOf = (keyId: string, isKnown: boolean): CountedKey => {
          const key = (isKnown && known.get(keyId)) || newCountedKey(keyId);
          known.set(keyId, key);
          return key;
        };
        for (const round of rounds) {
          for (const { keyId, isKnown, outcome, ms, atMs } of round)
            counter.count(keyId === undefined ? undefined : keyOf(keyId, isKnown), outcome, ms, atMs);
          const taken = counter.take();
          for (const keyId of ["key_a", "key_b", null])
            for (const startedAtMs of new Set(round.map(({ atMs }) => startOf("minute", atMs)))) {
              const mine = round.filter(
                (each) => startOf("minute", each.atMs) === startedAtMs && (keyId === null || each.keyId === keyId),
              );
              const sums = taken.filter((sum) => sum.keyId === keyId && sum.startedAtMs === startedAtMs);
              expect(sums).toHaveLength(mine.length > 0 ? 1 : 0);
              const usage = sums[0] && usageOf(sums[0].counts);
              expect(usage?.requests ?? 0).toBe(mine.length);
              expect(usage?.passed ?? 0).toBe(mine.filter(({ outcome }) => outcome === "passed").length);
            }
        }
        expect(counter.take()).toEqual([]);
      }),
    );
  });

  test("is bounded: with too many keys, the rest is in the totals only, and that is known", () => {
    const counter = new UsageCounter(3);
    for (let i = 0; i < 10; i++) counter.count(newCountedKey(`key_${i}`), "passed", 1, NOW);
    counter.count(newCountedKey("key_0"), "passed", 1, NOW);
    expect(counter.takeUnattributed()).toBe(7);
    expect(counter.takeUnattributed()).toBe(0);
    const sums = counter.take();
    expect(sums.map(({ keyId }) => keyId)).toEqual(["key_0", "key_1", "key_2", null]);
    expect(sums.map(({ counts }) => usageOf(counts).requests)).toEqual([2, 1, 1, 11]);
    counter.count(newCountedKey("key_9"), "passed", 1, NOW);
    expect(counter.take().map(({ keyId }) => keyId)).toEqual(["key_9", null]);
  });

  test("is bounded in time, too: a clock that leaps about leaves the latest minutes", () => {
    const counter = new UsageCounter(10_000);
    const key = newCountedKey("key_a");
    for (let i = 0; i < 4_000; i++) counter.count(key, "passed", 1, NOW + i * MINUTE_MS);
    const sums = counter.take();
    expect(sums).toHaveLength(6_000);
    expect(Math.min(...sums.map(({ startedAtMs }) => startedAtMs))).toBe(startOf("minute", NOW + 1_000 * MINUTE_MS));
  });
});
