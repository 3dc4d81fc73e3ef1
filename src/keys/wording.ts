import { DAY_MS } from "../base/time/clock.ts";
import { QUOTA_RULE, type Quotas } from "../domain/keys/plan.ts";
import type { KeyMistake } from "./mistake.ts";
import { OVERLAP_MAX_MS } from "./rotate.ts";

// Refusals of the use-cases in words, for the command line and for the console: as the end of a line, or of a sentence.

/** How whoever is told calls what they filled in. */
export interface KeyWords extends Readonly<Record<keyof Quotas, string>> {
  readonly name: string;
  readonly scopes: string;
  readonly expiry: string;
  readonly overlap: string;
  /** The plan whose quotas are not fixed. */
  readonly enterprise: string;
}

export function textOfMistake(mistake: KeyMistake, words: KeyWords): string {
  switch (mistake.kind) {
    case "invalid_name":
      return `${words.name} ${mistake.mistake.text}`;
    case "expiry_not_in_future":
      return `${words.expiry} is in the past`;
    case "no_scopes":
      return `${words.scopes} must name at least one scope`;
    case "invalid_quotas":
      return `${listed(mistake.invalid, words)} ${QUOTA_RULE}`;
    case "plan_has_fixed_quotas":
      return `the ${mistake.plan} plan has fixed quotas: leave out ${listed(["perMinute", "perDay"], words)}, or use ${words.enterprise}`;
    case "plan_needs_quotas":
      return `the ${mistake.plan} plan has no fixed quotas: set ${listed(mistake.missing, words)}`;
    case "minute_exceeds_day":
      return `${words.perMinute} must not exceed ${words.perDay}`;
  }
}

const listed = (quotas: readonly (keyof Quotas)[], words: KeyWords): string =>
  quotas.map((name) => words[name]).join(" and ");

export const textOfOverlap = ({ overlap }: KeyWords): string =>
  `${overlap} must be at most ${OVERLAP_MAX_MS / DAY_MS}d`;

/** Of a key, by whatever it is called; what to do instead may follow. */
export const textOfRevoked = (key: string): string => `${key} is revoked, which cannot be undone: issue a new one`;
