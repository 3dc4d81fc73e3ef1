import { andThen } from "../../base/time/awaitable.ts";
import type { PublicPage } from "../pipeline/handler.ts";
import type { HeaderFields } from "../reply/header-template.ts";
import type { CorsOrigins } from "./origins.ts";

// Cross-Origin Resource Sharing (section 3.2 of the Fetch Standard) lets scripts of other origins read responses. It
// protects people in browsers from other pages, and nothing else: a request is answered whoever sends it.

/** Returns the header fields for the origin of a request: always the same object for the same origin. */
export type Cors = (request: Request) => HeaderFields;

/** Every header that means something to a client. Browsers hide all others, except a few such as Content-Type. */
export const EXPOSED_HEADERS = [
  "Allow",
  "Deprecation",
  "ETag",
  "Idempotency-Replayed",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
] as const;

const ALLOW_ORIGIN = "Access-Control-Allow-Origin";

/** Sent even without an origin: a cache must not serve such a response to scripts. */
const VARY: HeaderFields = { Vary: "Origin" };

/** Undefined: CORS is off. For `*`, responses are the same for every origin. */
export function createCors(origins: CorsOrigins): Cors | undefined {
  if (origins === undefined) return undefined;
  if (origins === "*") {
    const fields = readableBy("*");
    return () => fields;
  }
  const allowed = new Map(origins.map((origin) => [origin, { ...readableBy(origin), ...VARY }]));
  return ({ headers }) => allowed.get(headers.get("origin") ?? "") ?? VARY;
}

/** No Access-Control-Allow-Credentials: keys are in a header that the script itself sets, and there are no cookies. */
const readableBy = (origin: string): HeaderFields => ({
  [ALLOW_ORIGIN]: origin,
  "Access-Control-Expose-Headers": EXPOSED_HEADERS.join(", "),
});

/** Returns whether these are the fields of an origin that is allowed. */
export const isAllowed = (fields: HeaderFields): boolean => ALLOW_ORIGIN in fields;

/** Makes a page readable for scripts of other origins. */
export const readable =
  (cors: Cors, page: PublicPage): PublicPage =>
  (request, server) =>
    andThen(page(request, server), (response) => {
      // Appended: the page may have a Vary of its own.
      for (const [name, value] of Object.entries(cors(request))) response.headers.append(name, value);
      return response;
    });
