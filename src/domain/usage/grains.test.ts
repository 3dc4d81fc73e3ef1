import { expect, test } from "bun:test";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/time/clock.ts";
import {
  atGrain,
  endOf,
  GRAINS,
  type Grain,
  grainFor,
  KEPT_MS,
  startOf,
  startsBetween,
  sweptBefore,
  type UsageSeries,
} from "./grains.ts";
import { newCounts } from "./usage.ts";

const NOW = Date.parse("2027-03-01T12:34:56.789Z");
const anyMoment = fc.integer({ min: 0, max: Date.parse("2100-01-01") });
const anyGrain = fc.constantFrom(...GRAINS);
const anyKept = fc.constantFrom(
  ...(["total", "key"] as const).flatMap((series) =>
    (Object.entries(KEPT_MS[series]) as [Grain, number][]).map(([grain, keptMs]) => ({ series, grain, keptMs })),
  ),
);

test("every moment is in exactly one minute, hour and day of UTC, and coarser ones contain the finer", () => {
  expect(GRAINS.map((grain) => new Date(startOf(grain, NOW)).toISOString())).toEqual([
    "2027-03-01T12:34:00.000Z",
    "2027-03-01T12:00:00.000Z",
    "2027-03-01T00:00:00.000Z",
  ]);
  fc.assert(
    fc.property(anyMoment, anyGrain, (ms, grain) => {
      const start = startOf(grain, ms);
      expect(start <= ms && ms < endOf(grain, start)).toBe(true);
      expect(startOf(grain, start)).toBe(start);
      expect(startOf("day", startOf(grain, ms))).toBe(startOf("day", ms));
    }),
  );
});

test("what is swept is older than what is kept, and a span that is kept has lost nothing", () => {
  fc.assert(
    fc.property(anyMoment, anyMoment, anyKept, fc.double({ min: 0, max: 1, noNaN: true }), (at, later, kept, part) => {
      const { grain, keptMs } = kept;
      const nowMs = at + later;
      const beforeMs = sweptBefore(grain, keptMs, nowMs);
      const start = startOf(grain, at);
      if (start < beforeMs) expect(endOf(grain, start)).toBeLessThanOrEqual(nowMs - keptMs);
      else expect(endOf(grain, start)).toBeGreaterThan(nowMs - keptMs);
      expect(startOf(grain, nowMs - part * keptMs)).toBeGreaterThanOrEqual(beforeMs);
    }),
  );
});

test("10,000 busy keys have fewer than 20 million sums", () => {
  const perKey = (Object.entries(KEPT_MS.key) as [Grain, number][])
    .map(([grain, keptMs]) => startsBetween(grain, sweptBefore(grain, keptMs, NOW), NOW).length)
    .reduce((sum, count) => sum + count);
  expect(perKey).toBe(361 + 745 + 401);
  expect(10_000 * perKey).toBeLessThan(20_000_000);
});

test("a span is shown in what suits it and is kept for so long", () => {
  const chosen = (series: UsageSeries, ms: number) => grainFor(series, ms);
  expect(chosen("key", MINUTE_MS)).toBe("minute");
  expect(chosen("key", 100 * MINUTE_MS)).toBe("minute");
  expect(chosen("key", 2 * HOUR_MS)).toBe("hour");
  expect(chosen("key", DAY_MS)).toBe("hour");
  expect(chosen("key", 7 * DAY_MS)).toBe("day");
  expect(chosen("key", 400 * DAY_MS)).toBe("day");
  expect(chosen("key", 400 * DAY_MS + 1)).toBeUndefined();
  expect(chosen("total", 400 * DAY_MS)).toBe("hour");
  fc.assert(
    fc.property(
      fc.constantFrom<UsageSeries>("total", "key"),
      fc.integer({ min: 1, max: 401 * DAY_MS }),
      (series, ms) => {
        const grain = grainFor(series, ms);
        if (grain) expect(KEPT_MS[series][grain]).toBeGreaterThanOrEqual(ms);
        else expect(ms).toBeGreaterThan(400 * DAY_MS);
      },
    ),
  );
});

const anySum = fc.record({
  keyId: fc.constantFrom("key_a", "key_b", null),
  startedAtMs: fc.integer({ min: 0, max: 3_000 }).map((minute) => NOW + minute * MINUTE_MS - (NOW % MINUTE_MS)),
  counts: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: newCounts().length, maxLength: newCounts().length }),
});

test("a coarser grain loses no request, has each span and key once, in one order, and leaves its input alone", () => {
  const sumOf = (sums: readonly { counts: readonly number[] }[]) =>
    sums.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0);
  fc.assert(
    fc.property(fc.array(anySum, { maxLength: 40 }), anyGrain, (sums, grain) => {
      const before = structuredClone(sums);
      const merged = atGrain(grain, sums);
      expect(sums).toEqual(before);
      expect(sumOf(merged)).toBe(sumOf(sums));
      const names = merged.map(({ startedAtMs, keyId }) => `${String(startedAtMs).padStart(15)} ${keyId ?? ""}`);
      expect(names).toEqual([...new Set(names)].sort());
      for (const { startedAtMs } of merged) expect(startOf(grain, startedAtMs)).toBe(startedAtMs);
    }),
  );
});
