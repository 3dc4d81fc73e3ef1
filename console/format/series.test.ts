import { describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import type { UsageBucketView, UsageSeriesView } from "../../src/console/api/index.ts";
import { bucketText, evenly, reasonsIn, ticksOf } from "./series.ts";

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

const bucket = (startedAtMs: number, passed: number): UsageBucketView => ({
  ...SUM,
  startedAtMs,
  passed,
  requestsBefore: null,
});
const series = (grain: UsageSeriesView["grain"], fromMs: number, ...buckets: UsageBucketView[]): UsageSeriesView => ({
  grain,
  fromMs,
  untilMs: NOW + 1,
  buckets,
  sum: SUM,
  before: null,
});

describe("a plot is divided evenly", () => {
  test("where nothing was counted, there are zeros", () => {
    const fromMs = NOW - 3 * MINUTE_MS;
    const minute = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS;
    const even = evenly(series("minute", fromMs, bucket(minute + MINUTE_MS, 7)));
    expect(even.startsMs).toEqual([0, 1, 2, 3].map((i) => minute + i * MINUTE_MS));
    expect(even.valuesOf(({ passed }) => passed)).toEqual([0, 7, 0, 0]);
  });

  test("of no usage at all, it spans the time all the same", () => {
    expect(evenly(series("hour", NOW - DAY_MS)).startsMs).toHaveLength(25);
  });

  test("30 days are bars of the viewer's days, and nothing of their hours is lost", () => {
    const fromMs = NOW - 30 * DAY_MS;
    const first = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
    const hours = Array.from({ length: 721 }, (_, i) => bucket(first + i * HOUR_MS, i));
    const even = evenly(series("hour", fromMs, ...hours));
    expect(even.grain).toBe("day");
    expect(even.startsMs).toHaveLength(31);
    for (const startMs of even.startsMs) expect(new Date(startMs).getHours()).toBe(0);
    const passed = even.valuesOf((each) => each.passed);
    expect(passed.reduce((sum, value) => sum + value, 0)).toBe((720 * 721) / 2);
    expect(evenly(series("hour", fromMs)).valuesOf((each) => each.passed)).toEqual(Array(31).fill(0));
    expect(evenly(series("hour", NOW - 2 * DAY_MS)).grain).toBe("hour");
  });

  test("a period that has ended ends with its last bucket", () => {
    const untilMs = Math.floor(NOW / MINUTE_MS) * MINUTE_MS;
    const even = evenly({ ...series("minute", untilMs - 5 * MINUTE_MS), untilMs });
    expect(even.startsMs.map((ms) => (untilMs - ms) / MINUTE_MS)).toEqual([5, 4, 3, 2, 1]);
  });
});

test("labels are at round times, few enough for a phone, and none at the very end", () => {
  const starts = (length: number, stepMs: number) =>
    Array.from({ length }, (_, i) => Math.floor(NOW / stepMs) * stepMs - (length - 1 - i) * stepMs);
  const ticksAt = (startsMs: readonly number[], grain: UsageSeriesView["grain"]) =>
    ticksOf({ startsMs, grain, zone: undefined }, NOW);
  const minutes = starts(60, MINUTE_MS);
  const ticks = ticksAt(minutes, "minute");
  expect(ticks).toHaveLength(4);
  for (const { index, label } of ticks) {
    expect(new Date(minutes[index] as number).getMinutes() % 15).toBe(0);
    expect(label).toMatch(/^\d\d:(00|15|30|45)$/);
  }
  for (const [length, stepMs, grain] of [
    [5, MINUTE_MS, "minute"],
    [25, MINUTE_MS, "minute"],
    [180, MINUTE_MS, "minute"],
    [8, HOUR_MS, "hour"],
    [24, HOUR_MS, "hour"],
    [720, HOUR_MS, "hour"],
    [30, DAY_MS, "day"],
  ] as const) {
    const labels = ticksAt(starts(length, stepMs), grain);
    expect(labels.length).toBeGreaterThan(1);
    expect(labels.length).toBeLessThanOrEqual(5);
    expect(Math.max(...labels.map(({ index }) => index))).toBeLessThan(length * 0.97);
  }
  // The last of 25 hours is a round one: its label would be cut off.
  const evening = new Date(2026, 10, 15, 18).getTime();
  const hours = Array.from({ length: 25 }, (_, i) => evening - (24 - i) * HOUR_MS);
  expect(ticksAt(hours, "hour").map(({ label }) => label)).toEqual(["18:00", "00:00", "06:00", "12:00"]);
  expect(ticksAt([], "minute")).toEqual([]);
});

test("a bar says when it was", () => {
  const hour = Math.floor(NOW / HOUR_MS) * HOUR_MS;
  const text = (grain: UsageSeriesView["grain"], startMs: number, fromMs?: number) =>
    bucketText({ grain, zone: undefined }, startMs, NOW, fromMs);
  expect(text("minute", hour)).toMatch(/^\d\d:\d\d$/);
  expect(text("hour", hour - DAY_MS)).toMatch(/^yesterday, \d\d:\d\d to \d\d:\d\d$/);
  expect(text("day", hour - 9 * DAY_MS)).toMatch(/^\d+ Nov$/);
  // The first and the last of a span are parts of days.
  const today = new Date(NOW).setHours(0, 0, 0, 0);
  expect(text("day", today)).toMatch(/^\d+ Nov so far$/);
  expect(text("day", today - DAY_MS, today - HOUR_MS)).toMatch(/^\d+ Nov from 23:00$/);
  // The service's days are those of UTC, whatever day it is then for the viewer.
  const { grain, zone } = evenly(series("day", NOW - 60 * DAY_MS));
  expect(bucketText({ grain, zone }, Date.UTC(2026, 10, 3), NOW)).toBe("3 Nov (UTC)");
});

test("the most frequent reason of refusals comes first; those without any are left out", () => {
  expect(reasonsIn({ ...REFUSED, banned: 2, minute_quota: 1, scope: 9 })).toEqual(["scope", "banned", "minute_quota"]);
});
