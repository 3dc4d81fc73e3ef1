import { DAY_MS } from "../base/time/clock.ts";
import type { Key } from "../domain/keys/key.ts";
import { QUOTA_RULE, type Quotas } from "../domain/keys/plan.ts";
import type { DeletionRefusal } from "./delete.ts";
import type { EditRefusal } from "./edit.ts";
import type { CountedInRedis } from "./queries/counters.ts";
import type { FindRefusal } from "./queries/find.ts";
import { OVERLAP_MAX_MS, type RotationRefusal } from "./rotate.ts";

// Words the refusals of changes to keys in one line, with the nouns of the command line or of the console.

/** Every refusal of the use-cases, except that there is no such key: only the command line looks keys up by name. */
export type WordedRefusal = Exclude<EditRefusal | RotationRefusal | DeletionRefusal | CountedInRedis, FindRefusal>;

/** Names of fields for the reader, and remedies that the reader has. */
export interface KeyNouns extends Readonly<Record<keyof Quotas, string>> {
  readonly name: string;
  readonly scopes: string;
  readonly expiry: string;
  /** The expiry of a key that does not expire. */
  readonly never: string;
  readonly overlap: string;
  /** The plan whose quotas are not fixed. */
  readonly enterprise: string;
  readonly key: (key: Key) => string;
  readonly changeSomething: string;
  readonly issueAnother: string;
  readonly postponeExpiry: (key: Key) => string;
  readonly revoke: (key: Key) => string;
}

export function textOfKeyRefusal(reason: WordedRefusal, nouns: KeyNouns): string {
  switch (reason.kind) {
    case "invalid_name":
      return `${nouns.name} ${reason.mistake.text}`;
    case "expiry_not_in_future":
      return `${nouns.expiry} is in the past: choose a later time, or ${nouns.never}`;
    case "no_scopes":
      return `a key needs at least one scope: set ${nouns.scopes}`;
    case "invalid_quotas":
      return `${listed(reason.invalid, nouns)} ${QUOTA_RULE}`;
    case "plan_has_fixed_quotas":
      return `the ${reason.plan} plan has fixed quotas: leave out ${listed(["perMinute", "perDay"], nouns)}, or use ${nouns.enterprise}`;
    case "plan_needs_quotas":
      return `the ${reason.plan} plan has no fixed quotas: set ${listed(reason.missing, nouns)}`;
    case "minute_exceeds_day":
      return `the key would have more requests per minute than per day: lower ${nouns.perMinute}, or raise ${nouns.perDay}`;
    case "nothing_to_change":
      return `there is nothing to change: ${nouns.changeSomething}`;
    case "invalid_overlap":
      return `${nouns.overlap} must be at most ${OVERLAP_MAX_MS / DAY_MS}d`;
    case "ended":
      return reason.state === "revoked"
        ? `${nouns.key(reason.key)} is revoked, which cannot be undone: ${nouns.issueAnother}`
        : `${nouns.key(reason.key)} has expired: to use it again, ${nouns.postponeExpiry(reason.key)}`;
    case "not_revoked":
      return `${nouns.key(reason.key)} is ${reason.state}, and only a revoked key can be deleted: ${nouns.revoke(reason.key)}`;
    case "counted_in_redis":
      return "the instances of this service count requests in Redis: set REDIS_URL to the value that they have";
  }
}

const listed = (quotas: readonly (keyof Quotas)[], nouns: KeyNouns): string =>
  quotas.map((name) => nouns[name]).join(" and ");
