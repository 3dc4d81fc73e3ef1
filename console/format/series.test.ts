import { describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import type { UsageBucketView, UsageSeriesView } from "../../src/console/api/index.ts";
import { bucketText, evenly, reasonsIn, spanOf, ticksOf } from "./series.ts";

const NOW = Date.UTC(2026, 10, 16, 14, 20, 30);
const REFUSED = { minute_quota: 0, day_quota: 0, banned: 0, scope: 0, no_key: 0, address_quota: 0 };
const SUM = {
  requests: 0,
  passed: 0,
  clientErrors: 0,
  refused: REFUSED,
  refusedInAll: 0,
  failed: 0,
  p50Ms: null,
  p99Ms: null,
};

const bucket = (startedAtMs: number, passed: number): UsageBucketView => ({ ...SUM, startedAtMs, passed });
const series = (grain: UsageSeriesView["grain"], fromMs: number, ...buckets: UsageBucketView[]): UsageSeriesView => ({
  grain,
  fromMs,
  buckets,
  sum: SUM,
});

describe("a plot is divided evenly", () => {
  test("where nothing was counted, there are zeros", () => {
    const fromMs = NOW - 3 * MINUTE_MS;
    const minute = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS;
    const even = evenly(series("minute", fromMs, bucket(minute + MINUTE_MS, 7)), NOW);
    expect(even.startsMs).toEqual([0, 1, 2, 3].map((i) => minute + i * MINUTE_MS));
    expect(even.valuesOf(({ passed }) => passed)).toEqual([0, 7, 0, 0]);
  });

  test("of no usage at all, it spans the time all the same", () => {
    expect(evenly(series("hour", NOW - DAY_MS), NOW).startsMs).toHaveLength(25);
  });

  test("30 days are bars of the viewer's days, and nothing of their hours is lost", () => {
    const fromMs = NOW - 30 * DAY_MS;
    const first = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
    const hours = Array.from({ length: 721 }, (_, i) => bucket(first + i * HOUR_MS, i));
    const even = evenly(series("hour", fromMs, ...hours), NOW);
    expect(even.grain).toBe("day");
    expect(even.startsMs).toHaveLength(31);
    for (const startMs of even.startsMs) expect(new Date(startMs).getHours()).toBe(0);
    const passed = even.valuesOf((each) => each.passed);
    expect(passed.reduce((sum, value) => sum + value, 0)).toBe((720 * 721) / 2);
    expect(evenly(series("hour", fromMs), NOW).valuesOf((each) => each.passed)).toEqual(Array(31).fill(0));
    expect(evenly(series("hour", NOW - 2 * DAY_MS), NOW).grain).toBe("hour");
  });

  test("a bucket that is ahead of the viewer's clock is there", () => {
    const even = evenly(series("minute", NOW, bucket(Math.floor(NOW / MINUTE_MS + 2) * MINUTE_MS, 5)), NOW);
    expect(even.valuesOf(({ passed }) => passed)).toEqual([0, 0, 5]);
  });
});

test("labels are at round times, few enough for a phone, and none at the very end", () => {
  const starts = (length: number, stepMs: number) =>
    Array.from({ length }, (_, i) => Math.floor(NOW / stepMs) * stepMs - (length - 1 - i) * stepMs);
  const minutes = starts(60, MINUTE_MS);
  const ticks = ticksOf(minutes, "minute", NOW);
  expect(ticks).toHaveLength(4);
  for (const { index, label } of ticks) {
    expect(new Date(minutes[index] as number).getMinutes() % 15).toBe(0);
    expect(label).toMatch(/^\d\d:(00|15|30|45)$/);
  }
  for (const [length, stepMs, grain] of [
    [24, HOUR_MS, "hour"],
    [720, HOUR_MS, "hour"],
    [30, DAY_MS, "day"],
  ] as const) {
    const labels = ticksOf(starts(length, stepMs), grain, NOW);
    expect(labels.length).toBeGreaterThan(2);
    expect(labels.length).toBeLessThanOrEqual(5);
    expect(Math.max(...labels.map(({ index }) => index))).toBeLessThan(length * 0.97);
  }
  // The last of 25 hours is a round one: its label would be cut off.
  const evening = new Date(2026, 10, 15, 18).getTime();
  const hours = Array.from({ length: 25 }, (_, i) => evening - (24 - i) * HOUR_MS);
  expect(ticksOf(hours, "hour", NOW).map(({ label }) => label)).toEqual(["18:00", "00:00", "06:00", "12:00"]);
  expect(ticksOf([], "minute", NOW)).toEqual([]);
});

test("a bar says when it was", () => {
  const hour = Math.floor(NOW / HOUR_MS) * HOUR_MS;
  expect(bucketText(hour, "minute", NOW)).toMatch(/^\d\d:\d\d$/);
  expect(bucketText(hour - DAY_MS, "hour", NOW)).toMatch(/^yesterday, \d\d:\d\d to \d\d:\d\d$/);
  expect(bucketText(hour - 9 * DAY_MS, "day", NOW)).toMatch(/^\d+ Nov$/);
  // The first and the last of a span are parts of days.
  const today = new Date(NOW).setHours(0, 0, 0, 0);
  expect(bucketText(today, "day", NOW)).toMatch(/^\d+ Nov so far$/);
  expect(bucketText(today - DAY_MS, "day", NOW, today - HOUR_MS)).toMatch(/^\d+ Nov from 23:00$/);
});

test("the most frequent reason of refusals comes first; those without any are left out", () => {
  expect(reasonsIn({ ...REFUSED, banned: 2, minute_quota: 1, scope: 9 })).toEqual(["scope", "banned", "minute_quota"]);
});

test("an address with an unknown span means the last hour", () => {
  expect([null, "week", "hour", "day", "month"].map(spanOf)).toEqual(["hour", "hour", "hour", "day", "month"]);
});
