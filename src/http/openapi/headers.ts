import { GET_PET_DEPRECATED_AT_MS, GET_PET_REMOVED_AT_MS } from "../pets.ts";

/** On every response under /v1. */
export const LIMIT_HEADERS = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
  "X-Request-Id",
  "Cache-Control",
];

const integer = (description: string, example: number) => ({
  description,
  required: true,
  schema: { type: "integer", minimum: 0 },
  example,
});

const text = (description: string, example: string, required = true) => ({
  description,
  required,
  schema: { type: "string" },
  example,
});

/** Every header that a response can have, by the name that the document refers to it by. */
export const headerComponents = () => ({
  "X-RateLimit-Limit": integer("The quota of the window that hinders most: the one with least remaining.", 60),
  "X-RateLimit-Remaining": integer("What remains of it.", 59),
  "X-RateLimit-Reset": integer("Unix timestamp, in seconds, of the moment that it resets.", 1794700860),
  "RateLimit-Policy": text(
    "All quotas and their windows in seconds (IETF draft).",
    '"minute";q=60;w=60, "day";q=1000;w=86400',
  ),
  RateLimit: text(
    "What remains of each quota, and seconds until it resets (IETF draft).",
    '"minute";r=59;t=60, "day";r=999;t=86400',
  ),
  "X-Request-Id": text(
    "Names this request in the log of the service; one that you send is kept.",
    "0f8e4a52-6c1b-4a8e-9d57-3f2b1c0a9e88",
  ),
  "Cache-Control": text("Answers are not to be stored.", "no-store"),
  "Retry-After": {
    ...integer("Whole seconds to wait before the next request.", 21),
    schema: { type: "integer", minimum: 1 },
  },
  RetryAfterIfInProgress: {
    ...integer("Whole seconds to wait, when the code is `idempotency_in_progress`.", 2),
    required: false,
  },
  "Idempotency-Replayed": text("`true` when this is the first answer, given again.", "true", false),
  "WWW-Authenticate": text("How to authenticate.", 'Bearer realm="animal-store", error="invalid_token"'),
  Allow: text("The methods that the path knows.", "GET, HEAD, POST"),
  Location: text("The URL of what was made.", "http://127.0.0.1:8080/v1/pets/42"),
  Link: text(
    "The next page, while there is one.",
    '<http://127.0.0.1:8080/v1/pets?limit=20&cursor=YWZ0ZXI6NDI>; rel="next"',
    false,
  ),
  Deprecation: text("Since when the operation is deprecated (RFC 9745).", `@${GET_PET_DEPRECATED_AT_MS / 1000}`),
  Sunset: text("When the operation is removed (RFC 8594).", new Date(GET_PET_REMOVED_AT_MS).toUTCString()),
  DeprecationLink: text(
    "Where the deprecation is explained, and what replaces the operation.",
    '<http://127.0.0.1:8080/docs>; rel="deprecation"; type="text/html", <http://127.0.0.1:8080/v1/pets>; rel="successor-version"',
  ),
});
