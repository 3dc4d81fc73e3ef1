import { type Awaitable, andThen } from "../domain/awaitable.ts";
import { type Clock, SECOND_MS, toWholeSeconds } from "../domain/clock.ts";
import { Fault } from "../domain/fault.ts";
import { type Key, objectionTo } from "../domain/key.ts";
import type { Standing, Terms, Verdict } from "../domain/tally.ts";
import type { Meter } from "../meter/meter.ts";
import { readBearer } from "./bearer.ts";
import type { Keyring, RingEntry } from "./keyring.ts";

export interface Pass {
  readonly kind: "pass";
  readonly key: Key;
  readonly standing: Standing;
}

export interface Refusal {
  readonly kind: "refusal";
  readonly fault: Fault;
  readonly standing: Standing;
  /** Present when waiting helps. */
  readonly retryAfterSeconds?: number;
  /** The key that was refused, when there is one. */
  readonly key?: Key;
  /** The refusal is the moment at which the key was banned. */
  readonly isNewBan?: boolean;
}

export interface GateParts {
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly keyMeter: Meter;
  readonly addressMeter: Meter;
  readonly addressTerms: Terms;
}

export interface Gate {
  /** Who is it, and may they now. The address is asked for only when a caller has no valid key. */
  admit(authorization: string | null, address: () => string): Awaitable<Pass | Refusal>;
  /** What to show to a caller whose key cannot be looked up. */
  standingOf(address: string): Awaitable<Standing>;
}

/** In this order: credential → key → ban → quotas. A refusal is a value; only a broken store throws. */
export function createGate({ clock, keyring, keyMeter, addressMeter, addressTerms }: GateParts): Gate {
  return {
    admit,
    standingOf: (address) => andThen(addressMeter.judge(address, addressTerms), ({ standing }) => standing),
  };

  function admit(authorization: string | null, address: () => string): Awaitable<Pass | Refusal> {
    const known = authorization === null ? undefined : keyring.recall(authorization);
    if (known) return judgeKey(known, address);
    const credential = readBearer(authorization);
    if (credential.kind === "none") return stranger(MISSING_KEY, address);
    if (credential.kind === "malformed") return stranger(MALFORMED, address);
    return andThen(keyring.find(credential.secret), (entry) =>
      entry ? judgeKey(entry, address) : stranger(UNKNOWN_KEY, address),
    );
  }

  function judgeKey({ key, secret, terms, isForGood }: RingEntry, address: () => string): Awaitable<Pass | Refusal> {
    const objection = isForGood ? undefined : objectionTo(key, secret, clock.nowMs());
    if (objection)
      return stranger(new Fault("invalid_api_key", `${objection}. Ask the operator for a new one.`), address);
    return andThen(keyMeter.judge(key.id, terms), (verdict) => admissionOf(key, verdict));
  }

  function admissionOf(key: Key, verdict: Verdict): Pass | Refusal {
    const { standing } = verdict;
    if (verdict.kind === "pass") return { kind: "pass", key, standing };
    const retryAfterSeconds = secondsUntilReset(standing);
    const fault = verdict.kind === "banned" ? banFault(retryAfterSeconds) : quotaFault(verdict, retryAfterSeconds);
    const isNewBan = verdict.kind === "banned" && verdict.isNew;
    return { kind: "refusal", fault, standing, retryAfterSeconds, key, isNewBan };
  }

  function stranger(fault: Fault, address: () => string): Awaitable<Refusal> {
    return andThen(addressMeter.judge(address(), addressTerms), ({ kind, standing }) => {
      if (kind === "pass") return { kind: "refusal", fault, standing };
      const retryAfterSeconds = secondsUntilReset(standing);
      return { kind: "refusal", fault: strangerFault(standing, retryAfterSeconds), standing, retryAfterSeconds };
    });
  }
}

const HOW_TO_SEND = "Send your API key as: Authorization: Bearer <key>";
export const MISSING_KEY = new Fault("missing_api_key", `The Authorization header is missing. ${HOW_TO_SEND}.`);
const MALFORMED = new Fault(
  "invalid_api_key",
  `The Authorization header is not one bearer credential. ${HOW_TO_SEND}.`,
);
export const UNKNOWN_KEY = new Fault(
  "invalid_api_key",
  "This API key is not known here. Check that it was copied whole.",
);

/** Whole seconds, at least 1, and never before the moment that the Reset header names. */
function secondsUntilReset({ shown, atMs }: Standing): number {
  const resetMs = toWholeSeconds(shown.resetAtMs) * SECOND_MS;
  return Math.max(1, toWholeSeconds(resetMs - atMs));
}

const wait = (seconds: number): string =>
  `Wait ${seconds} ${seconds === 1 ? "second" : "seconds"} before the next request`;

function quotaFault(verdict: Verdict & { kind: "exhausted" }, retryAfterSeconds: number): Fault {
  const { window, quota } = verdict.standing.shown;
  const left = verdict.strikesLeft;
  const warning =
    left === undefined
      ? ""
      : ` Going on regardless bans the key: ${left} more ${left === 1 ? "refusal" : "refusals"} in this minute will do.`;
  return new Fault(
    "rate_limit_exceeded",
    `All ${quota} requests of this ${window.name} are used. ${wait(retryAfterSeconds)}.${warning}`,
  );
}

const banFault = (retryAfterSeconds: number): Fault =>
  new Fault(
    "key_banned",
    `This API key is banned for a while because it went on after 429 answers. ${wait(retryAfterSeconds)}, and back off when you are refused.`,
  );

const strangerFault = ({ shown }: Standing, retryAfterSeconds: number): Fault =>
  new Fault(
    "rate_limit_exceeded",
    `All ${shown.quota} requests without a valid API key that your address may make in a ${shown.window.name} are used. ${wait(retryAfterSeconds)}, or send a valid key.`,
  );
