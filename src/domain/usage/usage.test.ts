import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  addCounts,
  LATENCY_BOUNDS_MS,
  newCounts,
  OUTCOMES,
  outcomeOf,
  placeOfLatency,
  placeOfOutcome,
  quantileMs,
  REFUSALS,
  USAGE_COLUMNS,
  usageOf,
} from "./usage.ts";

const anyRefusal = fc.option(fc.constantFrom(...REFUSALS), { nil: undefined });
const anyRequest = fc.record({
  refusal: anyRefusal,
  status: fc.integer({ min: 100, max: 599 }),
  ms: fc.double({ min: 0, max: 10_000, noNaN: true }),
});

test("every request falls in exactly one class", () => {
  fc.assert(
    fc.property(anyRequest, ({ refusal, status }) => {
      const outcome = outcomeOf(refusal, status);
      expect(OUTCOMES).toContain(outcome);
      if (status >= 500) expect(outcome).toBe("failed");
      else if (refusal) expect(outcome).toBe(refusal);
      else expect(outcome).toBe(status >= 400 ? "client_error" : "passed");
    }),
  );
});

test("sums say how many requests there were, what came of them, and how long those took that were not refused", () => {
  fc.assert(
    fc.property(fc.array(anyRequest, { maxLength: 200 }), (requests) => {
      const counts = newCounts();
      for (const { refusal, status, ms } of requests) {
        const one = newCounts();
        const place = placeOfOutcome(outcomeOf(refusal, status));
        const latency = placeOfLatency(place, ms);
        one[place] = 1;
        if (latency >= 0) one[latency] = 1;
        addCounts(counts, one);
      }
      const usage = usageOf(counts);
      expect(usage.requests).toBe(requests.length);
      expect(usage.failed).toBe(requests.filter(({ status }) => status >= 500).length);
      expect(usage.refusedInAll).toBe(requests.filter(({ refusal, status }) => refusal && status < 500).length);
      const timed = requests.filter(({ refusal, status }) => !refusal || status >= 500);
      expect(usage.latency.reduce((sum, count) => sum + count, 0)).toBe(timed.length);
      for (const [i, bound] of LATENCY_BOUNDS_MS.entries())
        expect(usage.latency.slice(0, i + 1).reduce((sum, count) => sum + count, 0)).toBe(
          timed.filter(({ ms }) => ms <= bound).length,
        );
    }),
  );
});

test("each sum has a column of its own", () => {
  expect(new Set(USAGE_COLUMNS).size).toBe(newCounts().length);
  for (const column of USAGE_COLUMNS) expect(column).toMatch(/^[a-z][a-z0-9_]*$/);
});

describe("a quantile", () => {
  const latencyOf = (times: readonly number[]): number[] => {
    const counts = newCounts();
    for (const ms of times) (counts[placeOfLatency(placeOfOutcome("passed"), ms)] as number)++;
    return [...usageOf(counts).latency];
  };

  test("is in the same bucket as the true one, and none is without requests", () => {
    expect(quantileMs(latencyOf([]), 0.5)).toBeUndefined();
    const times = fc.array(fc.double({ min: 0.001, max: 2_500, noNaN: true }), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(times, fc.constantFrom(0.01, 0.5, 0.9, 0.99, 1), (all, share) => {
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[Math.ceil(share * sorted.length) - 1] as number;
        const upTo = LATENCY_BOUNDS_MS.find((bound) => bound >= exact) as number;
        const from = LATENCY_BOUNDS_MS.findLast((bound) => bound < exact) ?? 0;
        const found = quantileMs(latencyOf(all), share) as number;
        expect(found).toBeGreaterThanOrEqual(from);
        expect(found).toBeLessThanOrEqual(upTo);
      }),
    );
  });

  test("beyond all bounds is the last one", () => {
    expect(quantileMs(latencyOf([0.05, 9_000, 9_000]), 0.99)).toBe(2_500);
    expect(quantileMs(latencyOf([0.05, 0.05, 9_000]), 0.5)).toBeLessThanOrEqual(0.1);
  });
});
