import type { Precondition } from "../../domain/tag.ts";
import type { Method } from "../declare/operation.ts";
import { Fault } from "../faults/fault.ts";
import { INVALID_IF_NONE_MATCH, invalidIfMatch, TWO_CONDITIONS } from "../faults/faults.ts";
import { Reply } from "../reply/reply.ts";

// RFC 9110, section 13: requests that depend on the ETag of what is there.

const TAG = '(W/)?"([!#-~\\u0080-\\u00ff]*)"';
/** A member of a list of tags, which may be empty. Each space can match in one place only, so no text takes long. */
const MEMBER = new RegExp(`[ \\t]*(?:${TAG}[ \\t]*)?(?:,|$)`, "y");
/** All that readIfMatch accepts, for the JSON Schema: the rules of ANY and of parseTags, without spaces around them. */
const ANY_OR_TAGS = `^(?:\\*|(?:,[ \\t]*)*${TAG}(?:[ \\t]*,(?:[ \\t]*${TAG})?)*)$`;
const ANY = /^[ \t]*\*[ \t]*$/;
const MAX_CHARACTERS = 1_000;

export const INVALID_IF_MATCH = invalidIfMatch(MAX_CHARACTERS);
/** Every fault that the conditions of a write can have. */
export const INVALID_CONDITIONS = [INVALID_IF_MATCH, INVALID_IF_NONE_MATCH, TWO_CONDITIONS] as const;

/** Returns whether a write can be conditional: it changes what its path names. A POST adds something instead. */
export const isConditional = (method: Method): boolean => method === "PUT" || method === "PATCH" || method === "DELETE";

const EXAMPLE = '"2kPzR1vXo0mYd8sJq4Wc7A"';

/** The headers, as the OpenAPI document describes them. */
export const IF_MATCH_HEADER = {
  name: "If-Match",
  description:
    'Makes the change only if this is still what is there: the `ETag` that it was read with, several of them separated by commas, or `*` for whatever is there. Otherwise the response is 412. A weak tag (`W/"…"`) never matches. The example is only one: send the `ETag` of a response. Not together with `If-None-Match`.',
  schema: { type: "string", minLength: 1, maxLength: MAX_CHARACTERS, pattern: ANY_OR_TAGS },
  example: EXAMPLE,
} as const;

export const IF_NONE_MATCH_HEADER = {
  name: "If-None-Match",
  description: `The \`ETag\` of what you have already, several of them separated by commas, or \`*\`. If it is still what would be sent, the response is 304, without a body. A header that is none of these, or longer than ${MAX_CHARACTERS} characters, is ignored.`,
  schema: { type: "string" },
  example: EXAMPLE,
} as const;

export const IF_NOTHING_YET_HEADER = {
  name: "If-None-Match",
  description: "`*`: only if there is nothing yet. Otherwise the response is 412. Not together with `If-Match`.",
  schema: { type: "string", enum: ["*"] },
  example: "*",
} as const;

export const entityTag = (tag: string): string => `"${tag}"`;

/** Reads a list of tags, which may have empty members where a proxy joined it. Undefined: no list, or no tag in it. */
function parseTags(header: string) {
  if (header.length > MAX_CHARACTERS) return undefined;
  const tags: { tag: string; isWeak: boolean }[] = [];
  for (MEMBER.lastIndex = 0; MEMBER.lastIndex < header.length; ) {
    const match = MEMBER.exec(header);
    if (!match) return undefined;
    const [, weak, tag] = match;
    if (tag !== undefined) tags.push({ tag, isWeak: weak !== undefined });
  }
  return tags.length === 0 ? undefined : tags;
}

/** Reads If-Match; undefined when there is none. A weak tag never matches. */
export function readIfMatch(header: string | null): Precondition | undefined | Fault {
  if (header === null) return undefined;
  if (ANY.test(header)) return "exists";
  const tags = parseTags(header);
  return tags ? { tags: tags.filter(({ isWeak }) => !isWeak).map(({ tag }) => tag) } : INVALID_IF_MATCH;
}

/**
 * Reads the precondition of a write. If-None-Match makes sense only for a PUT, which creates things under URLs that
 * callers choose; but a write whose condition is not met must not be made, whatever its method.
 */
export function readPrecondition({ headers }: Request): Precondition | undefined | Fault {
  const precondition = readIfMatch(headers.get("if-match"));
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch === null || precondition instanceof Fault) return precondition;
  if (precondition !== undefined) return TWO_CONDITIONS;
  return ANY.test(ifNoneMatch) ? "absent" : INVALID_IF_NONE_MATCH;
}

/** Turns a reply into 304 if the caller already has it. An invalid header is ignored. */
export function unlessKnown(reply: Reply, ifNoneMatch: string): Reply {
  const { status, headers, etag } = reply;
  if (etag === undefined || status !== 200) return reply;
  const isKnown =
    ifNoneMatch === etag || ANY.test(ifNoneMatch) || parseTags(ifNoneMatch)?.some(({ tag }) => entityTag(tag) === etag);
  return isKnown ? new Reply(304, null, headers, etag) : reply;
}
