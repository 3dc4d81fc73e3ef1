import { sha256 } from "../base/runtime/digests.ts";

// A tag (the value of an ETag) is a digest of the content: equal tags mean equal content. So nothing is stored for it,
// and a change that another release makes shows too.

const DIGEST_CHARACTERS = 22;

/** 132 bits of SHA-256: a collision does not happen by chance, and nobody gains by making one. */
export const tagOf = (content: string): string => sha256(content).slice(0, DIGEST_CHARACTERS);

/** Only the last of the values may contain a space, or be undefined. */
export const tagOfValues = (...values: (bigint | string | number | undefined)[]): string => tagOf(values.join(" "));

/** A condition of a write: its object has one of these tags, or exists at all, or does not exist. */
export type Precondition = { readonly tags: readonly string[] } | "exists" | "absent";

/** A write that is carried out only if its precondition is met. */
export interface Conditional {
  readonly precondition?: Precondition | undefined;
}

export interface PreconditionFailed {
  readonly kind: "precondition_failed";
}

/** Checks a precondition. The tag is that of the object as it is; undefined if there is none. */
export function isMet(precondition: Precondition | undefined, tag: () => string | undefined): boolean {
  if (precondition === undefined) return true;
  const current = tag();
  if (precondition === "absent") return current === undefined;
  return current !== undefined && (precondition === "exists" || precondition.tags.includes(current));
}
