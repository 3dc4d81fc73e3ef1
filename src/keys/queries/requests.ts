import { type Clock, DAY_MS, HOUR_MS } from "../../base/time/clock.ts";
import { startOf } from "../../domain/usage/grains.ts";
import { KEPT_DAYS_DEFAULT } from "../../domain/usage/kept-request.ts";
import { usageOf } from "../../domain/usage/usage.ts";
import type { UsageStore } from "../../store/ports/store.ts";

/** The number of a key's requests that are kept, of all that it has made since the hour of the oldest of them. */
export interface Coverage {
  readonly sinceMs: number;
  readonly kept: number;
  /** The number of requests that were only counted. */
  readonly leftOut: number;
}

interface Parts {
  readonly usage: Pick<UsageStore, "keptOfKey" | "ofKey">;
  readonly clock: Clock;
}

/** Tells from the usage how many requests of a key were left out. */
export async function coverageOf({ usage, clock }: Parts, keyId: string): Promise<Coverage> {
  const nowMs = clock.nowMs();
  const { count: kept, oldestAtMs } = await usage.keptOfKey(keyId);
  const sinceMs = startOf("hour", oldestAtMs ?? nowMs - KEPT_DAYS_DEFAULT * DAY_MS);
  // An instance whose clock is ahead may have counted some in the next hour.
  const sums = await usage.ofKey(keyId, { grain: "hour", fromMs: sinceMs, beforeMs: nowMs + HOUR_MS });
  const counted = sums.reduce((sum, { counts }) => sum + usageOf(counts).requests, 0);
  return { sinceMs, kept, leftOut: Math.max(0, counted - kept) };
}
