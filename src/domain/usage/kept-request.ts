import { HOUR_MS, MINUTE_MS } from "../../base/time/clock.ts";
import { startOf } from "./grains.ts";

// Kept requests: the latest ones of each key, for people who want to know why a call failed. All requests are counted
// in the usage; few of them are kept, so that neither a busy key nor a flood of refusals costs more than that.

/** A request of a key, and what came of it. It has no query, no body, no address and no secret. */
export interface KeptRequest {
  /** The microsecond that the request is kept under: by ascending id is by time. */
  readonly id: bigint;
  readonly keyId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The code and the message of an error, as the client got them. */
  readonly code: string | undefined;
  readonly message: string | undefined;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly latencyMs: number;
}

const MICROSECONDS = 1000;

/** The least id of a request at a moment. Ids stay exact in a JavaScript number until the year 2255. */
export const leastIdAt = (ms: number): bigint => BigInt(ms) * BigInt(MICROSECONDS);

/** It has no divisor in common with their number, so that steps of it lead to all ids of a millisecond. */
const STEP = 317;

/** Returns another id of the same millisecond. Threads take ids in runs, so the very next one is likely to be taken too. */
export function otherId(id: bigint): bigint {
  const place = Number(id % BigInt(MICROSECONDS));
  return id + BigInt(((place + STEP) % MICROSECONDS) - place);
}

export const timeOf = ({ id }: Pick<KeptRequest, "id">): number => Number(id / BigInt(MICROSECONDS));

/** The kinds that are limited apart: a busy key's successes must not displace its errors. */
export const REQUEST_KINDS = ["failure", "success"] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

const FIRST_FAILURE = 400;
export const kindOf = (status: number): RequestKind => (status >= FIRST_FAILURE ? "failure" : "success");

/** Statuses from one up to another, both included. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

export const STATUSES_OF: Readonly<Record<RequestKind, StatusRange>> = {
  failure: { from: FIRST_FAILURE, to: 599 },
  success: { from: 100, to: FIRST_FAILURE - 1 },
};

const STATUS = /^[1-5]([0-9]{2}|xx)$/;
/** For the JSON Schema of the parameter. */
export const STATUS_PATTERN = STATUS.source;

/** The statuses that a text such as 400 or 4xx denotes; undefined for any other text. */
export function parseStatusRange(text: string): StatusRange | undefined {
  if (!STATUS.test(text)) return undefined;
  if (!text.endsWith("xx")) return { from: Number(text), to: Number(text) };
  const from = Number(text[0]) * 100;
  return { from, to: from + 99 };
}

/** The text that denotes them. */
export const statusRangeText = ({ from, to }: StatusRange): string => (from === to ? String(from) : `${from / 100}xx`);

/** Requests of one kind that are kept of each key and hour, the latest ones. */
export const KEPT_PER_HOUR: Readonly<Record<RequestKind, number>> = { failure: 100, success: 10 };
export const KEPT_PER_KEY = 5_000;
export const KEPT_IN_ALL = 1_000_000;
export const KEPT_DAYS_DEFAULT = 7;
/** Usage by hour, which tells how many requests are left out, is kept for no longer. */
export const KEPT_DAYS_MAX = 31;

const MESSAGE_MAX_CHARACTERS = 300;

/** Cuts a message, which may quote the names of fields that were sent. */
export const cutMessage = (message: string): string =>
  message.length > MESSAGE_MAX_CHARACTERS ? `${message.slice(0, MESSAGE_MAX_CHARACTERS - 1).toWellFormed()}…` : message;

/** The hour of a request, in which others compete with it for a place. */
export const hourOf = (ms: number): { readonly fromMs: number; readonly beforeMs: number } => {
  const fromMs = startOf("hour", ms);
  return { fromMs, beforeMs: fromMs + HOUR_MS };
};

/** The counts of one key's requests that one thread has kept in an hour. */
export interface HourlyShare {
  /** By kind. */
  taken: Record<RequestKind, number>;
  lastFailureAtMs: number;
}

export const newShare = (): HourlyShare => ({
  taken: { failure: 0, success: 0 },
  lastFailureAtMs: Number.NEGATIVE_INFINITY,
});

/**
 * Decides whether a request is taken, and notes it. Once an hour has all of its failures, one a minute replaces the
 * oldest: whoever looks finds out why calls fail now.
 */
export function takes(share: HourlyShare, kind: RequestKind, atMs: number): boolean {
  const isFull = share.taken[kind] >= KEPT_PER_HOUR[kind];
  if (isFull && (kind === "success" || atMs < share.lastFailureAtMs + MINUTE_MS)) return false;
  share.taken[kind]++;
  if (kind === "failure") share.lastFailureAtMs = atMs;
  return true;
}
