import {
  createLimitReader,
  type Limits,
  merged,
  type Quotas,
  removeEnded,
  usedUpUntilMs,
  windowsOf,
} from "./limits.ts";

/** The permission to send one request, returned when the request has ended. */
export type Pass = number;

/** The outcome of a request: a response, none ("lost"), or undefined if it was never sent. */
export type Outcome = Answered | "lost" | undefined;

/** The part of a response that tells about limits. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly retryAfterMs: number | undefined;
}

/** Requests in flight are limited to the remaining quota divided by this: other clients may use the same key. */
const PARTS = 8;
/** The quota assumed to remain before a response has reported it. So few requests get no key banned. */
const ASSUMED = 32;
/** The interval between requests while no responses arrive. */
const QUIET_MS = 2_000;
/** The duration of a refusal without Retry-After. */
const REFUSAL_MS = 10_000;
/** The interval between probes during a long refusal: the operator may have lifted it. */
const RECHECK_MS = 300_000;

/**
 * Tracks the key's limits, and decides when the next request may be sent:
 *
 * 1. While requests would be refused (after a 429 until `Retry-After`, or until the reset when nothing remains), none
 *    is sent, except for one every five minutes that probes whether that still holds.
 * 2. Otherwise an eighth of what surely remains is in flight at a time. Before the first response, and after a pause,
 *    one request goes ahead, and each response makes room for one more. Calls that go on, or wait, when a window starts
 *    anew begin it with the part of it that this client had of the last one: all clients of a key, however many, then
 *    do not hit it together with more than an eighth.
 * 3. Slow or lost responses do not stall everything: after two seconds without a request, another one is sent.
 */
export function createQuotaStatus() {
  const readQuotas = createLimitReader();
  let quotas: Quotas = new Map();
  /** The number of responses since a window was last reset. */
  let answers = 0;
  /** Lost ones have ended without a response: the service may have counted them. */
  let [inFlight, lost, passes, passedAtMs] = [0, 0, 0, 0];
  /** The calls that windows which have just begun anew surely allow, until a response tells; Infinity if none has. */
  let expected = Infinity;
  let startedAtMs = 0;
  /** The request that was sent with no other in flight: its response replaces everything known before. */
  let alone: Pass | undefined;
  let pausedUntilMs = 0;

  /** Drops windows that have ended, and what was learned in them. */
  const forget = (nowMs: number): void => {
    const ended = removeEnded(quotas, nowMs);
    if (ended) {
      lost = 0;
      startedAtMs = ended.atMs;
      expected = Math.min(expected, ended.part);
      // Each response then makes room for one more, as always.
      answers = Math.max(0, Math.floor(expected / PARTS) - 1);
    }
    if (expected < Infinity && startedAtMs + QUIET_MS < nowMs) [expected, answers] = [Infinity, 0];
  };

  /** The end of the time during which every request would be refused. */
  const refusedUntilMs = (): number => usedUpUntilMs(quotas, pausedUntilMs);

  /** The time when the next request may be sent, or when to ask again if no response arrives before. */
  const opensAtMs = (nowMs: number): number => {
    forget(nowMs);
    const untilMs = refusedUntilMs();
    if (untilMs > nowMs) return Math.min(untilMs, passedAtMs + RECHECK_MS);
    let sure = answers && (quotas.size || expected < Infinity) ? expected : ASSUMED;
    for (const { remaining } of quotas.values()) sure = Math.min(sure, remaining);
    sure -= lost;
    const share = Math.max(1, Math.min(answers + 1, Math.floor(sure / PARTS)));
    if (inFlight < Math.min(sure, share)) return nowMs;
    return (inFlight < Math.max(1, sure) ? passedAtMs : nowMs) + QUIET_MS;
  };

  /** Counts a request that is about to be sent. */
  const pass = (nowMs: number): Pass => {
    passedAtMs = nowMs;
    passes++;
    alone = inFlight++ ? undefined : passes;
    return passes;
  };

  /** Counts the end of a request, and learns from its response. */
  const end = (ended: Pass, outcome: Outcome, nowMs: number): void => {
    inFlight--;
    if (!outcome) return;
    // A 5xx may come from a proxy, so it may or may not have been counted. A 401 tells about the address, not the key.
    if (outcome === "lost" || outcome.status >= 500) lost++;
    else if (outcome.status !== 401) learn(outcome, ended === alone, nowMs);
  };

  const learn = ({ status, headers, retryAfterMs }: Answered, isAlone: boolean, nowMs: number): void => {
    const told = readQuotas(headers, nowMs);
    forget(nowMs);
    answers++;
    if (told.size) expected = Infinity;
    if (isAlone) [lost, pausedUntilMs] = [0, nowMs];
    if (status === 429) pausedUntilMs = Math.max(pausedUntilMs, nowMs + (retryAfterMs || REFUSAL_MS));
    quotas = merged(quotas, told, isAlone);
  };

  /** The open windows, in their public form. */
  const windows = (nowMs: number): Limits["windows"] => {
    forget(nowMs);
    return windowsOf(quotas, nowMs);
  };

  return [windows, refusedUntilMs, opensAtMs, pass, end] as const;
}
