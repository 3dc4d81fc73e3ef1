import type { KeyMistake } from "../../keys/mistake.ts";
import type { FindRefusal } from "../../keys/queries/find.ts";
import { type KeyNouns, mistakesIn, textOfKeyRefusal, type WordedRefusal } from "../../keys/wording.ts";
import type { FieldMistakeView } from "../api/index.ts";
import { ConsoleFault, notFound, sentence } from "../fault.ts";
import { invalidField, invalidFields } from "./forms.ts";

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

export const NO_SUCH_KEY = notFound(
  "key_not_found",
  "There is no such key: it may have been deleted meanwhile. Go back to the list of keys.",
);

export function keyFault(reason: KeyRefusal): ConsoleFault {
  if (reason.kind === "no_such_key" || reason.kind === "several_have_name") return NO_SUCH_KEY;
  if (isMistake(reason)) {
    const [first, ...others] = mistakesIn(reason).filter(isMistake).flatMap(fieldMistakes);
    return invalidFields(first as FieldMistakeView, others);
  }
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
    case "invalid_overlap":
      return invalidField("overlapMs", message);
  }
}

const isMistake = (reason: WordedRefusal): reason is KeyMistake => reason.kind in FIELDS;

/** One for each field: several quotas may share a mistake. */
function fieldMistakes(reason: KeyMistake): readonly FieldMistakeView[] {
  const message = sentence(textOfKeyRefusal(reason, NOUNS));
  const quotas = reason.kind === "invalid_quotas" ? reason.invalid : "missing" in reason ? reason.missing : [];
  return (quotas.length > 0 ? quotas : [FIELDS[reason.kind]]).map((field) => ({ field, message }));
}

/** The field that the page puts the message beside. */
const FIELDS: Readonly<Record<KeyMistake["kind"], string>> = {
  invalid_name: "name",
  no_scopes: "scopes",
  expiry_not_in_future: "expiresAtMs",
  invalid_quotas: "perMinute",
  plan_needs_quotas: "perMinute",
  plan_has_fixed_quotas: "perMinute",
  minute_exceeds_day: "perMinute",
};
