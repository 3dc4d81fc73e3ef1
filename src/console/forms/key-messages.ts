import type { Quotas } from "../../domain/keys/plan.ts";
import type { EditRefusal } from "../../keys/edit.ts";
import type { KeyMistake } from "../../keys/mistake.ts";
import type { CountedInRedis } from "../../keys/queries/counters.ts";
import type { FindRefusal } from "../../keys/queries/find.ts";
import type { RotationRefusal } from "../../keys/rotate.ts";
import type { KeyEnded } from "../../keys/suspend.ts";
import { type KeyWords, textOfMistake, textOfOverlap, textOfRevoked } from "../../keys/wording.ts";
import { ConsoleFault, sentence } from "../fault.ts";
import { invalidField } from "./forms.ts";

// Refusals of the use-cases of keys, as the person at the screen is told of them.

const WORDS: KeyWords = {
  name: "the name",
  perMinute: "the quota per minute",
  perDay: "the quota per day",
  scopes: "the access",
  expiry: "the expiry",
  overlap: "the overlap",
  enterprise: "the enterprise plan",
};

export type KeyRefusal = EditRefusal | RotationRefusal | FindRefusal | KeyEnded | CountedInRedis;

export const NO_SUCH_KEY = new ConsoleFault(
  404,
  "key_not_found",
  "There is no such key: it may have been deleted meanwhile. Go back to the list of keys.",
);

export function keyFault(reason: KeyRefusal): ConsoleFault {
  switch (reason.kind) {
    case "no_such_key":
    case "several_have_name":
      return NO_SUCH_KEY;
    case "counted_in_redis":
      return new ConsoleFault(
        503,
        "counts_unknown",
        "Requests are counted in Redis, which this service does not know: set REDIS_URL to the value that the other instances have.",
      );
    case "no_scopes":
      return invalidField("scopes", "A key needs access to something. Choose at least one.");
    case "expiry_not_in_future":
      return invalidField("expiresAtMs", "The expiry is in the past. Choose a later time, or none.");
    case "nothing_to_change":
      return new ConsoleFault(400, "nothing_to_change", "There is nothing to change. Change at least one field.");
    case "invalid_overlap":
      return invalidField("overlapMs", sentence(textOfOverlap(WORDS)));
    case "revoked":
      return new ConsoleFault(409, "key_revoked", sentence(textOfRevoked("this key")));
    case "ended":
      return reason.state === "revoked"
        ? new ConsoleFault(409, "key_revoked", sentence(textOfRevoked("this key")))
        : new ConsoleFault(
            409,
            "key_expired",
            "This key is expired. To use it again, give it an expiry that is not over.",
          );
    default:
      return invalidField(fieldOf(reason), sentence(textOfMistake(reason, WORDS)));
  }
}

/** The first of several. */
function fieldOf(mistake: Exclude<KeyMistake, { kind: "no_scopes" | "expiry_not_in_future" }>): string {
  switch (mistake.kind) {
    case "invalid_name":
      return "name";
    case "invalid_quotas":
      return mistake.invalid[0] ?? ANY_QUOTA;
    case "plan_needs_quotas":
      return mistake.missing[0] ?? ANY_QUOTA;
    case "plan_has_fixed_quotas":
    case "minute_exceeds_day":
      return ANY_QUOTA;
  }
}

const ANY_QUOTA: keyof Quotas = "perMinute";
