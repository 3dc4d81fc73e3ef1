import { createLimitReader, type Limits, lesser, type Quotas, windowsOf } from "./limits.ts";

/** The number of a request, by which it is known when it has ended. */
export type Pass = number;

/** What became of a request: an answer, none, or it was never sent. */
export type Outcome = Answered | "lost" | undefined;

/** What an answer says about limits. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly retryAfterMs: number | undefined;
}

/** One part in so many of what remains is on its way at once: others may be using the key, too. */
const PARTS = 8;
/** What is taken to remain while no answer has said what does: no key is banned for so few. */
const ASSUMED = 32;
/** When answers do not come, one request in so many milliseconds is sent nevertheless. */
const QUIET_MS = 2_000;
/** How long a refusal lasts that does not say it. */
const REFUSAL_MS = 10_000;
/** During a long refusal, one request in so many milliseconds finds out whether the operator has helped. */
const RECHECK_MS = 300_000;

/**
 * What is known of the key's limits, and so when the next request may be sent:
 *
 * 1. While requests would be refused (after a 429 until `Retry-After`, or until the reset when nothing remains), none;
 *    but one in five minutes, to find out whether that is still so.
 * 2. Otherwise a few at a time: an eighth of what surely remains. At first, and when a window has started anew, nothing
 *    is known: one goes ahead, and each answer makes room for one more. So a thousand calls that wait for the next
 *    window do not run into a quota of sixty together, nor do those of other clients.
 * 3. Answers that are slow, or lost, do not stop everything: after two seconds without a request, another one is sent.
 */
export function createStanding() {
  const readQuotas = createLimitReader();
  let quotas: Quotas = new Map();
  /** Since a window has started anew. */
  let answers = 0;
  let inFlight = 0;
  /** How many have ended without an answer: they may have been counted. */
  let lost = 0;
  let passes: Pass = 0;
  let passedAtMs = 0;
  /** The request that has no other one beside it: what its answer says is true, whatever was known before. */
  let alone: Pass | undefined;
  let pausedUntilMs = 0;

  /** When a window has started anew, nothing is known. */
  const forget = (nowMs: number): void => {
    for (const [name, { resetsAtMs }] of quotas)
      if (resetsAtMs <= nowMs) {
        quotas.delete(name);
        answers = lost = 0;
      }
  };

  /** Until when every request would be refused. */
  const refusedUntilMs = (): number => {
    let untilMs = pausedUntilMs;
    for (const { remaining, resetsAtMs } of quotas.values()) if (!remaining) untilMs = Math.max(untilMs, resetsAtMs);
    return untilMs;
  };

  /** When the next request may be sent, or that is to be asked again, unless an answer comes before. */
  const opensAtMs = (nowMs: number): number => {
    forget(nowMs);
    const untilMs = refusedUntilMs();
    if (untilMs > nowMs) return Math.min(untilMs, passedAtMs + RECHECK_MS);
    let sure = answers && quotas.size ? Infinity : ASSUMED;
    for (const { remaining } of quotas.values()) sure = Math.min(sure, remaining);
    sure -= lost;
    const share = Math.max(1, Math.min(answers + 1, Math.floor(sure / PARTS)));
    if (inFlight < Math.min(sure, share)) return nowMs;
    return (inFlight < Math.max(1, sure) ? passedAtMs : nowMs) + QUIET_MS;
  };

  /** One request is sent. */
  const pass = (nowMs: number): Pass => {
    passedAtMs = nowMs;
    passes++;
    alone = inFlight++ ? undefined : passes;
    return passes;
  };

  /** It is over. */
  const end = (ended: Pass, outcome: Outcome, nowMs: number): void => {
    inFlight--;
    if (!outcome) return;
    // The limits of the caller's address, or a proxy's answer: nobody knows whether a 5xx was counted.
    if (outcome === "lost" || outcome.status >= 500) lost++;
    else if (outcome.status !== 401) learn(outcome, ended === alone, nowMs);
  };

  const learn = ({ status, headers, retryAfterMs }: Answered, isAlone: boolean, nowMs: number): void => {
    const told = readQuotas(headers, nowMs);
    forget(nowMs);
    answers++;
    if (isAlone) {
      lost = 0;
      pausedUntilMs = nowMs;
    }
    if (status === 429) pausedUntilMs = Math.max(pausedUntilMs, nowMs + (retryAfterMs || REFUSAL_MS));
    if (isAlone && told.size) quotas = told;
    else for (const [name, quota] of told) quotas.set(name, lesser(quotas.get(name), quota));
  };

  /** The windows that are open. */
  const windows = (nowMs: number): Limits["windows"] => {
    forget(nowMs);
    return windowsOf(quotas, nowMs);
  };

  return [windows, refusedUntilMs, opensAtMs, pass, end] as const;
}
