import { done, type Result, refused } from "../../base/result.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Clock } from "../../base/time/clock.ts";
import {
  endOf,
  grainOfPeriod,
  keptAs,
  type Period,
  startOf,
  sweptBefore,
  type UsageSeries,
  type UsageSum,
} from "../../domain/usage/grains.ts";
import type { UsageSpan, UsageStore } from "../../store/ports/store.ts";
import { type NotKept, reportOf, type UsageReport } from "./usage.ts";

/** The usage of a period, and of the one of the same length before it. */
export interface ComparedUsage extends UsageReport {
  readonly untilMs: number;
  /** Undefined: not all of it is kept any more. */
  readonly before: UsageReport | undefined;
}

interface Parts {
  readonly usage: Pick<UsageStore, "totals" | "ofKey">;
  readonly clock: Clock;
}

/** The usage of everybody, not divided by key. */
export const totalsOfPeriod = ({ usage, clock }: Parts, period: Period): Promise<Result<ComparedUsage, NotKept>> =>
  compared("total", (span) => usage.totals(span), period, clock.nowMs());

/** The usage of a key whose id is known to be right. */
export const usageOfKeyInPeriod = (
  { usage, clock }: Parts,
  keyId: string,
  period: Period,
): Promise<Result<ComparedUsage, NotKept>> =>
  compared("key", (span) => usage.ofKey(keyId, span), period, clock.nowMs());

async function compared(
  series: UsageSeries,
  sumsOf: (span: UsageSpan) => Awaitable<readonly UsageSum[]>,
  { fromMs, untilMs }: Period,
  nowMs: number,
): Promise<Result<ComparedUsage, NotKept>> {
  const grain = grainOfPeriod(series, (untilMs ?? nowMs) - fromMs, nowMs - fromMs);
  if (!grain) return refused({ kind: "not_kept", grain: undefined, keptMs: keptAs(series, "day").keptMs });
  // A period that ends now includes the bucket that has just begun; another one ends before its last moment.
  const lastMs = untilMs === undefined ? nowMs : untilMs - 1;
  const span = { grain, fromMs: startOf(grain, fromMs), beforeMs: endOf(grain, startOf(grain, lastMs)) };
  const earlier = { grain, fromMs: 2 * span.fromMs - span.beforeMs, beforeMs: span.fromMs };
  const { kept, keptMs } = keptAs(series, grain);
  const reportIn = async (each: UsageSpan): Promise<UsageReport> =>
    reportOf(each, await sumsOf({ ...each, grain: kept }));
  const isKept = sweptBefore(kept, keptMs, nowMs) <= earlier.fromMs;
  const [report, before] = await Promise.all([reportIn(span), isKept ? reportIn(earlier) : undefined]);
  return done({ ...report, untilMs: span.beforeMs, before });
}
