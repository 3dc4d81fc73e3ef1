import type { IdPage } from "../../base/read-all.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { IdOrder, Page } from "../../domain/page.ts";
import type { Grain, UsageSum } from "../../domain/usage/grains.ts";
import type { KeptRequest, StatusRange } from "../../domain/usage/kept-request.ts";

/** Sums of requests by minute, hour and day, of each key and of all requests, and the latest requests of each key. */
export interface UsageStore {
  /**
   * Adds sums at all grains, and requests, unless this addition was carried out before. What is about deleted keys is
   * left out. Of each key and hour, and of each key, only the latest requests stay.
   */
  add(addition: UsageAddition): Promise<void>;
  /** Returns the sums of all requests, by start. There are none by day. */
  totals(span: UsageSpan): Awaitable<readonly UsageSum[]>;
  /** Returns one sum for each key, over the whole span. */
  byKey(span: UsageSpan): Awaitable<readonly UsageSum[]>;
  /** Returns the sums of one key, by start. */
  ofKey(keyId: string, span: UsageSpan): Awaitable<readonly UsageSum[]>;
  /** Returns how many requests the next keys by id sent in one minute, hour or day, and how many went wrong. */
  requestsByKey(bucket: KeyBucket): Awaitable<readonly KeyRequests[]>;
  /** Returns one page of the kept requests that match. */
  keptRequests(query: KeptRequestQuery): Awaitable<Page<KeptRequest>>;
  /** Returns a kept request of a key. */
  keptRequest(keyId: string, id: bigint): Awaitable<KeptRequest | undefined>;
  /** Returns how many requests of a key are kept, and when the oldest of them was. */
  keptOfKey(keyId: string): Awaitable<KeptOfKey>;
  /** Counts the next kept requests by key and id. */
  countKept(slice: KeptSlice): Awaitable<CountedSlice>;
}

/** One page of kept requests: the newest first, unless `sort` says otherwise. */
export interface KeptRequestQuery {
  /** Only those of this key. */
  readonly keyId?: string | undefined;
  /** Only those with a status in this range, both ends included. */
  readonly status?: StatusRange | undefined;
  /** Only those with this error code. */
  readonly code?: string | undefined;
  readonly sinceMs?: number | undefined;
  /** Only those before this moment. */
  readonly untilMs?: number | undefined;
  readonly sort?: IdOrder | undefined;
  /** The request that the page begins after, in its order. */
  readonly afterId?: bigint | undefined;
  readonly size: number;
}

export interface KeptOfKey {
  readonly count: number;
  /** Undefined: none is kept. */
  readonly oldestAtMs: number | undefined;
}

/** The place of a kept request among all of them, by key and id. */
export interface KeptPosition {
  readonly keyId: string;
  readonly id: bigint;
}

/** At most so many requests after a position; undefined: from the first one on. */
export interface KeptSlice {
  readonly after: KeptPosition | undefined;
  readonly size: number;
}

export interface CountedSlice {
  readonly count: number;
  /** The place where the next slice begins; undefined: this was the last. */
  readonly next: KeptPosition | undefined;
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
  /** Undefined: none. */
  readonly requests?: readonly KeptRequest[];
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
  readonly failed: number;
}
