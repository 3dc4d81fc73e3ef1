import type { Refusal } from "../../access/gate.ts";
import { plural } from "../../base/text/text.ts";
import { SECOND_MS, toWholeSeconds } from "../../base/time/clock.ts";
import { type EnvironmentName, otherEnvironment } from "../../domain/environment.ts";
import { OWN_ROTATIONS_MAX, type OwnRotationRefusal } from "../../domain/keys/rotation.ts";
import { type Right, ROTATION } from "../../domain/keys/scope.ts";
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
const invalidToken = (message: string): Fault => constant("invalid_api_key", message, INVALID_TOKEN);
const invalidKey = (message: string): Fault => invalidToken(`This API key ${message}`);
export const UNKNOWN_KEY = invalidKey("is unknown. Check that you copied all of it.");

function foreignKey(of: EnvironmentName): Fault {
  const here = otherEnvironment(of);
  return invalidKey(`is for ${of}, and this is ${here}. Use a key of ${here}, or send the request to ${of}.`);
}

const FOREIGN: Readonly<Record<EnvironmentName, Fault>> = {
  production: foreignKey("production"),
  staging: foreignKey("staging"),
};

const ASK_FOR_NEW = "Ask the operator for a new one.";

/** The faults of refusals that say nothing more than their kind. */
const BY_KIND = {
  starting: STARTING,
  missing: MISSING_KEY,
  malformed: invalidToken(`The Authorization header is not a single bearer credential. ${HOW_TO_SEND}.`),
  unknown: UNKNOWN_KEY,
  replaced: invalidKey("has been replaced. Use the new one."),
  suspended: invalidKey("is suspended. Ask the operator to resume it."),
  revoked: invalidKey(`has been revoked. ${ASK_FOR_NEW}`),
};

const expired = (atMs: number): Fault =>
  new Fault(
    "invalid_api_key",
    `This API key expired at ${new Date(atMs).toISOString()}. ${ASK_FOR_NEW}`,
    INVALID_TOKEN,
  );

/** The fault that a refused request is answered with. */
export function refusalFault({ reason, quotaStatus }: Refusal): Fault {
  switch (reason.kind) {
    case "foreign":
      return FOREIGN[reason.of];
    case "expired":
      return expired(reason.atMs);
    case "exhausted":
      return quotaFault(quotaStatus, reason.strikesLeft);
    case "banned":
      return banFault(quotaStatus);
    case "address_exhausted":
      return addressFault(quotaStatus);
    default:
      return BY_KIND[reason.kind];
  }
}

/** RFC 6750. */
export const insufficientScope = (right: Right): Fault =>
  constant(
    "insufficient_scope",
    right === ROTATION
      ? "This API key may not rotate its own secret. Ask the operator to rotate it, or to allow it to the key."
      : `This API key may not do this: it lacks the scope ${right}. Use a key that has it.`,
    { "WWW-Authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${right}"` },
  );

const MAY_NOT_ROTATE = insufficientScope(ROTATION);

const SECRET_REPLACED = constant(
  "secret_replaced",
  "This secret was replaced by a newer one, and only the newest may rotate. Use the newest one. If you did not replace it, somebody else has the secret: ask the operator to rotate or revoke the key.",
);

/** The fault of a rotation that is refused. The transaction may know more of the key than the gate did. */
export function rotationFault(refusal: OwnRotationRefusal): Fault {
  switch (refusal.kind) {
    case "unknown_secret":
      return UNKNOWN_KEY;
    case "key_problem":
      return refusal.problem.kind === "expired" ? expired(refusal.problem.atMs) : BY_KIND[refusal.problem.kind];
    case "not_allowed":
      return MAY_NOT_ROTATE;
    case "secret_replaced":
      return SECRET_REPLACED;
    case "too_many":
      return new Fault(
        "too_many_rotations",
        `The secret of this API key was rotated ${OWN_ROTATIONS_MAX} times in 24 hours. The next rotation is possible at ${new Date(refusal.nextAtMs).toISOString()}, or ask the operator.`,
      );
  }
}

/** Whole seconds, at least 1, and never before the moment that the Reset header names. */
function secondsUntilReset({ shown, atMs }: QuotaStatus): number {
  const resetMs = toWholeSeconds(shown.resetAtMs) * SECOND_MS;
  return Math.max(1, toWholeSeconds(resetMs - atMs));
}

/** The message is why the request is refused, how long to wait, and what to do then. */
function retryLater(code: FaultCode, quotaStatus: QuotaStatus, why: string, then: string): Fault {
  const seconds = secondsUntilReset(quotaStatus);
  const message = `${why} Wait ${seconds} ${plural(seconds, "second")}${then}`;
  return new Fault(code, message, { "Retry-After": String(seconds) });
}

const banFault = (quotaStatus: QuotaStatus): Fault =>
  retryLater(
    "key_banned",
    quotaStatus,
    "This API key is temporarily banned because it kept sending requests after 429 responses.",
    " before the next request, and back off when you get a 429.",
  );

/** The fault of a caller who has used up a quota. */
function exhausted(quotaStatus: QuotaStatus, who: string, requests: string, then: string): Fault {
  const { quota, window } = quotaStatus.shown;
  const why = `${who} used all ${quota} ${requests} for this ${window.name}.`;
  return retryLater("rate_limit_exceeded", quotaStatus, why, then);
}

function quotaFault(quotaStatus: QuotaStatus, strikesLeft: number | undefined): Fault {
  const warning =
    strikesLeft === undefined
      ? ""
      : ` The key will be banned after ${strikesLeft} more refused ${plural(strikesLeft, "request")} this minute.`;
  return exhausted(quotaStatus, "You have", "requests", ` before the next request.${warning}`);
}

const addressFault = (quotaStatus: QuotaStatus): Fault =>
  exhausted(quotaStatus, "Your address has", "requests without a valid API key", ", or send a valid key.");

export const visitorFault = (quotaStatus: QuotaStatus): Fault =>
  exhausted(quotaStatus, "Your address has", "page requests", ", then load the page again.");
