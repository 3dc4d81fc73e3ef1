import { type Sentences, sentenceFor } from "../base/text/sentences.ts";
import { DAY_MS } from "../base/time/clock.ts";
import type { Key } from "../domain/keys/key.ts";
import { QUOTA_RULE, type Quotas } from "../domain/keys/plan.ts";
import type { NotRevoked } from "./delete.ts";
import type { EditRefusal } from "./edit.ts";
import type { CountedInRedis } from "./queries/counters.ts";
import type { FindRefusal } from "./queries/find.ts";
import { OVERLAP_MAX_MS, type RotationRefusal } from "./rotate.ts";

// Words the refusals of changes to keys in one line, with the nouns of the command line or of the console.

/** Every refusal of the use-cases, except that there is no such key: only the command line looks keys up by name. */
export type WordedRefusal = Exclude<EditRefusal | RotationRefusal | NotRevoked | CountedInRedis, FindRefusal>;

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

/** Every mistake of a refusal that may have several; otherwise the refusal itself. */
export const mistakesIn = (reason: WordedRefusal): readonly WordedRefusal[] =>
  "others" in reason ? [reason, ...reason.others] : [reason];

export const textOfKeyRefusal = (reason: WordedRefusal, nouns: KeyNouns): string =>
  sentenceFor(reason, SENTENCES, nouns);

const SENTENCES: Sentences<WordedRefusal, KeyNouns> = {
  invalid_name: ({ mistake }, { name }) => `${name} ${mistake.text}`,
  expiry_not_in_future: (_, { expiry, never }) => `${expiry} is in the past: choose a later time, or ${never}`,
  no_scopes: (_, { scopes }) => `a key needs at least one scope: set ${scopes}`,
  invalid_quotas: ({ invalid }, nouns) => `${listed(invalid, nouns)} ${QUOTA_RULE}`,
  plan_has_fixed_quotas: ({ plan }, nouns) =>
    `the ${plan} plan has fixed quotas: leave out ${listed(["perMinute", "perDay"], nouns)}, or use ${nouns.enterprise}`,
  plan_needs_quotas: ({ plan, missing }, nouns) =>
    `the ${plan} plan has no fixed quotas: set ${listed(missing, nouns)}`,
  minute_exceeds_day: (_, { perMinute, perDay }) =>
    `the key would have more requests per minute than per day: lower ${perMinute}, or raise ${perDay}`,
  nothing_to_change: (_, { changeSomething }) => `there is nothing to change: ${changeSomething}`,
  invalid_overlap: (_, { overlap }) => `${overlap} must be at most ${OVERLAP_MAX_MS / DAY_MS}d`,
  ended: ({ state, key }, nouns) =>
    state === "revoked"
      ? `${nouns.key(key)} is revoked, which cannot be undone: ${nouns.issueAnother}`
      : `${nouns.key(key)} has expired: to use it again, ${nouns.postponeExpiry(key)}`,
  not_revoked: ({ state, key }, nouns) =>
    `${nouns.key(key)} is ${state}, and only a revoked key can be deleted: ${nouns.revoke(key)}`,
  counted_in_redis: () =>
    "the instances of this service count requests in Redis: set REDIS_URL to the value that they have",
};

const listed = (quotas: readonly (keyof Quotas)[], nouns: KeyNouns): string =>
  quotas.map((name) => nouns[name]).join(" and ");
