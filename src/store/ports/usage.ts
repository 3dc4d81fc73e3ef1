import type { IdPage } from "../../base/read-all.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Grain, UsageSum } from "../../domain/usage/grains.ts";

/** Sums of requests by minute, hour and day, of each key and of all requests. */
export interface UsageStore {
  /** Adds sums at all grains, unless this addition was carried out before. Sums of deleted keys are left out. */
  add(addition: UsageAddition): Promise<void>;
  /** Returns the sums of all requests, by start. There are none by day. */
  totals(span: UsageSpan): Awaitable<readonly UsageSum[]>;
  /** Returns one sum for each key, over the whole span. */
  byKey(span: UsageSpan): Awaitable<readonly UsageSum[]>;
  /** Returns the sums of one key, by start. */
  ofKey(keyId: string, span: UsageSpan): Awaitable<readonly UsageSum[]>;
  /** Returns how many requests the next keys by id sent in one minute, hour or day, and how many went wrong. */
  requestsByKey(bucket: KeyBucket): Awaitable<readonly KeyRequests[]>;
}

/** Sums of one thread that are added together. */
export interface UsageAddition {
  /** The thread that counted them. */
  readonly source: string;
  /** Ascending for each source, so that a repeated addition is recognized and not counted twice. */
  readonly sequence: number;
  readonly atMs: number;
  /** Sums by minute. */
  readonly sums: readonly UsageSum[];
}

/** The sums that began from one moment on and before another. */
export interface UsageSpan {
  readonly grain: Grain;
  readonly fromMs: number;
  readonly beforeMs: number;
}

/** The sums of some keys in one minute, hour or day. */
export interface KeyBucket extends IdPage {
  readonly grain: Grain;
  readonly startedAtMs: number;
}

export interface KeyRequests {
  readonly keyId: string;
  readonly requests: number;
  readonly clientErrors: number;
  readonly refused: number;
}
