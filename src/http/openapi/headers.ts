import { encodeCursor } from "../../domain/page.ts";
import type { Deprecation, PublicUrls } from "../declare/operation.ts";
import { IF_MATCH_HEADER } from "../request/conditions.ts";
import { deprecationHeaders } from "../run-operation.ts";

/** A response header in the document. */
export interface HeaderDescription {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: unknown;
}

const count = (description: string, example: number, minimum = 0): HeaderDescription => ({
  description,
  schema: { type: "integer", minimum },
  example,
});

const text = (description: string, example: string): HeaderDescription => ({
  description,
  schema: { type: "string" },
  example,
});

/** Every header that a response can have. */
export const HEADERS: Readonly<Record<string, HeaderDescription>> = {
  "X-RateLimit-Limit": count("The quota of the most constrained window: the one with the least remaining.", 60),
  "X-RateLimit-Remaining": count("The requests that remain of it.", 59),
  "X-RateLimit-Reset": count("When it resets, as a Unix timestamp in seconds.", 1794700860),
  "RateLimit-Policy": text(
    "All quotas with their windows in seconds (IETF draft).",
    '"minute";q=60;w=60, "day";q=1000;w=86400',
  ),
  RateLimit: text(
    "What remains of each quota, and the seconds until it resets (IETF draft).",
    '"minute";r=59;t=60, "day";r=999;t=86400',
  ),
  "X-Request-Id": text(
    "Identifies this request in the service's log. An id that you send is used instead if it is 1 to 64 letters, digits, dots, hyphens or underscores.",
    "0f8e4a52-6c1b-4a8e-9d57-3f2b1c0a9e88",
  ),
  "Cache-Control": text("Responses must not be stored.", "no-store"),
  "Retry-After": count("How many seconds to wait before the next request.", 21, 1),
  "Idempotency-Replayed": text("`true` if this is the response to an earlier request, sent again.", "true"),
  ETag: text(
    "Stands for what was sent, and changes whenever that does. For `If-None-Match` and `If-Match`.",
    IF_MATCH_HEADER.example,
  ),
  "WWW-Authenticate": text(
    "How to authenticate, what is wrong with the key, and which scope it lacks (RFC 6750).",
    'Bearer realm="animal-store", error="invalid_token"',
  ),
  Allow: text("The methods that the path supports.", "GET, HEAD, POST"),
};

/** Headers that hold a URL of the operation's own: the created resource, and the next page of a list. */
export const urlHeaders = (url: string): Readonly<Record<string, HeaderDescription>> => ({
  Location: text("The URL of what was created.", `${url}/42`),
  Link: text("The next page, if there is one.", `<${url}?limit=20&cursor=${encodeCursor({ id: 42n })}>; rel="next"`),
});

/** The headers of a deprecated operation, whose Link has another meaning. */
export function deprecationDescriptions(deprecation: Deprecation, urls: PublicUrls): Record<string, HeaderDescription> {
  const { Deprecation, Sunset, Link } = deprecationHeaders(deprecation, urls);
  return {
    Deprecation: text("Since when the operation has been deprecated (RFC 9745).", Deprecation),
    Sunset: text("When the operation will be removed (RFC 8594).", Sunset),
    Link: text("Where the deprecation is documented, and what replaces the operation.", Link),
  };
}
