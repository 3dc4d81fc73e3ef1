import type { Refusal } from "../../access/gate.ts";
import { plural } from "../../base/text/text.ts";
import { SECOND_MS, toWholeSeconds } from "../../base/time/clock.ts";
import { type EnvironmentName, otherEnvironment } from "../../domain/environment.ts";
import type { KeyProblem } from "../../domain/keys/key.ts";
import type { Scope } from "../../domain/keys/scope.ts";
import type { QuotaStatus } from "../../domain/limits/tally.ts";
import { constant, Fault, type FaultCode } from "./fault.ts";
import { STARTING } from "./faults.ts";

// Refusals of the gate: credentials, keys, bans and quotas.

const CHALLENGE = 'Bearer realm="animal-store"';
const INVALID_TOKEN = { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` };
const HOW_TO_SEND = "Send your API key as: Authorization: Bearer <key>";

export const MISSING_KEY = constant("missing_api_key", `The Authorization header is missing. ${HOW_TO_SEND}.`, {
  "WWW-Authenticate": CHALLENGE,
});
const MALFORMED_KEY = constant(
  "invalid_api_key",
  `The Authorization header is not a single bearer credential. ${HOW_TO_SEND}.`,
  INVALID_TOKEN,
);
export const UNKNOWN_KEY = constant(
  "invalid_api_key",
  "This API key is unknown. Check that you copied all of it.",
  INVALID_TOKEN,
);

const FOREIGN_KEYS: Readonly<Record<EnvironmentName, Fault>> = {
  production: foreignKey("production"),
  staging: foreignKey("staging"),
};

function foreignKey(of: EnvironmentName): Fault {
  const here = otherEnvironment(of);
  const message = `This API key is for ${of}, and this is ${here}. Use a key of ${here}, or send the request to ${of}.`;
  return constant("invalid_api_key", message, INVALID_TOKEN);
}

/** The fault that a refused request is answered with. */
export function refusalFault({ reason, quotaStatus }: Refusal): Fault {
  switch (reason.kind) {
    case "starting":
      return STARTING;
    case "missing":
      return MISSING_KEY;
    case "malformed":
      return MALFORMED_KEY;
    case "unknown":
      return UNKNOWN_KEY;
    case "foreign":
      return FOREIGN_KEYS[reason.of];
    case "exhausted":
      return quotaFault(quotaStatus, reason.strikesLeft);
    case "banned":
      return banFault(quotaStatus);
    case "address_exhausted":
      return addressFault(quotaStatus);
    default:
      return new Fault("invalid_api_key", messageOn(reason), INVALID_TOKEN);
  }
}

function messageOn(problem: KeyProblem): string {
  if (problem.kind === "replaced") return "This API key has been replaced. Use the new one.";
  if (problem.kind === "suspended") return "This API key is suspended. Ask the operator to resume it.";
  const what = problem.kind === "revoked" ? "has been revoked" : `expired at ${new Date(problem.atMs).toISOString()}`;
  return `This API key ${what}. Ask the operator for a new one.`;
}

/** RFC 6750. */
export const insufficientScope = (scope: Scope): Fault =>
  constant("insufficient_scope", `This API key may not do this: it lacks the scope ${scope}. Use a key that has it.`, {
    "WWW-Authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${scope}"`,
  });

/** Whole seconds, at least 1, and never before the moment that the Reset header names. */
function secondsUntilReset({ shown, atMs }: QuotaStatus): number {
  const resetMs = toWholeSeconds(shown.resetAtMs) * SECOND_MS;
  return Math.max(1, toWholeSeconds(resetMs - atMs));
}

function retryLater(code: FaultCode, quotaStatus: QuotaStatus, message: (wait: string) => string): Fault {
  const seconds = secondsUntilReset(quotaStatus);
  return new Fault(code, message(`Wait ${seconds} ${plural(seconds, "second")}`), { "Retry-After": String(seconds) });
}

const quotaFault = (quotaStatus: QuotaStatus, strikesLeft: number | undefined): Fault =>
  retryLater("rate_limit_exceeded", quotaStatus, (wait) => {
    const { quota, window } = quotaStatus.shown;
    const warning =
      strikesLeft === undefined
        ? ""
        : ` The key will be banned after ${strikesLeft} more refused ${plural(strikesLeft, "request")} this minute.`;
    return `You have used all ${quota} requests for this ${window.name}. ${wait} before the next request.${warning}`;
  });

const banFault = (quotaStatus: QuotaStatus): Fault =>
  retryLater(
    "key_banned",
    quotaStatus,
    (wait) =>
      `This API key is temporarily banned because it kept sending requests after 429 responses. ${wait} before the next request, and back off when you get a 429.`,
  );

const addressFault = (quotaStatus: QuotaStatus): Fault =>
  retryLater("rate_limit_exceeded", quotaStatus, (wait) => {
    const { quota, window } = quotaStatus.shown;
    return `Your address has used all ${quota} requests without a valid API key for this ${window.name}. ${wait}, or send a valid key.`;
  });

export const visitorFault = (quotaStatus: QuotaStatus): Fault =>
  retryLater("rate_limit_exceeded", quotaStatus, (wait) => {
    const { quota, window } = quotaStatus.shown;
    return `Your address has used all ${quota} page requests for this ${window.name}. ${wait}, then load the page again.`;
  });
