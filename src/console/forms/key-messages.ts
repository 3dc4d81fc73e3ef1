import type { Quotas } from "../../domain/keys/plan.ts";
import type { FindRefusal } from "../../keys/queries/find.ts";
import { type KeyNouns, textOfKeyRefusal, type WordedRefusal } from "../../keys/wording.ts";
import { ConsoleFault, sentence } from "../fault.ts";
import { invalidField } from "./forms.ts";

// Refusals of the use-cases of keys, in the words of the pages.

const NOUNS: KeyNouns = {
  name: "the name",
  perMinute: "the quota per minute",
  perDay: "the quota per day",
  scopes: "the access",
  expiry: "the expiry",
  never: "none",
  overlap: "the overlap",
  enterprise: "the enterprise plan",
  key: () => "this key",
  changeSomething: "change at least one field",
  issueAnother: "issue a new one",
  postponeExpiry: () => "choose a later expiry",
  revoke: () => "revoke it first",
};

export type KeyRefusal = FindRefusal | WordedRefusal;

export const NO_SUCH_KEY = new ConsoleFault(
  404,
  "key_not_found",
  "There is no such key: it may have been deleted meanwhile. Go back to the list of keys.",
);

export function keyFault(reason: KeyRefusal): ConsoleFault {
  if (reason.kind === "no_such_key" || reason.kind === "several_have_name") return NO_SUCH_KEY;
  const message = sentence(textOfKeyRefusal(reason, NOUNS));
  switch (reason.kind) {
    case "counted_in_redis":
      return new ConsoleFault(503, "counts_unknown", message);
    case "nothing_to_change":
      return new ConsoleFault(400, "nothing_to_change", message);
    case "ended":
      return new ConsoleFault(409, `key_${reason.state}`, message);
    case "not_revoked":
      return new ConsoleFault(409, "key_not_revoked", message);
    default:
      return invalidField(fieldOf(reason), message);
  }
}

type FieldRefusal = Exclude<
  WordedRefusal,
  { kind: "counted_in_redis" | "nothing_to_change" | "ended" | "not_revoked" }
>;

/** The field that the page puts the message beside: the first of several. */
function fieldOf(refusal: FieldRefusal): string {
  switch (refusal.kind) {
    case "invalid_name":
      return "name";
    case "no_scopes":
      return "scopes";
    case "expiry_not_in_future":
      return "expiresAtMs";
    case "invalid_overlap":
      return "overlapMs";
    case "invalid_quotas":
      return refusal.invalid[0] ?? ANY_QUOTA;
    case "plan_needs_quotas":
      return refusal.missing[0] ?? ANY_QUOTA;
    case "plan_has_fixed_quotas":
    case "minute_exceeds_day":
      return ANY_QUOTA;
  }
}

const ANY_QUOTA: keyof Quotas = "perMinute";
