// A tag stands for the content of something: it changes whenever the content does, and two that are equal stand for
// the same. So nothing has to be stored for it, and a change that another release makes shows too.

const DIGEST_CHARACTERS = 22;

/** 132 bits of SHA-256: nobody comes across two contents with the same one, or has a reason to look for them. */
export const tagOf = (content: string): string => Bun.SHA256.hash(content, "base64url").slice(0, DIGEST_CHARACTERS);

/** What stands for the same content where more of it follows: the other half of the digest. */
export const tagOfContinued = (content: string): string =>
  Bun.SHA256.hash(content, "base64url").slice(-DIGEST_CHARACTERS);

/** Only the last of the values may contain a space, or be undefined. */
export const tagOfValues = (...values: (bigint | string | number | undefined)[]): string => tagOf(values.join(" "));

/** What a write asks for first: that what it is about has one of these tags, or exists at all, or does not. */
export type Precondition = { readonly tags: readonly string[] } | "exists" | "absent";

export interface PreconditionFailed {
  readonly kind: "precondition_failed";
}

/** Whether it is met by what is there; the tag is undefined if there is nothing. */
export function isMet(precondition: Precondition | undefined, tag: () => string | undefined): boolean {
  if (precondition === undefined) return true;
  const current = tag();
  if (precondition === "absent") return current === undefined;
  return current !== undefined && (precondition === "exists" || precondition.tags.includes(current));
}
