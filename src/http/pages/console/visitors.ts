import type { BunRequest } from "bun";
import { andThen } from "../../../base/time/awaitable.ts";
import { MINUTE_MS, systemClock } from "../../../base/time/clock.ts";
import type { Handler, PublicPage } from "../../pipeline/handler.ts";
import { Flood } from "../../reply/floods.ts";
import { limited, type PageHandlerParts } from "../page.ts";
import { SIGNED_IN, sessionCookiesIn } from "./session-cookie.ts";

/** The most requests with unknown cookies to relay in a tenth of a second: enough for everyone who comes back. */
const UNKNOWN_COOKIES = 10;
/** Pages poll every few seconds, which renews it. */
const KNOWN_FOR_MS = MINUTE_MS;
const MAX_KNOWN = 1_000;

/**
 * Limits callers without a session like the visitors of any page. Only the console can tell whether a cookie is that of
 * a session; each thread caches what it said, so an invented cookie gains nothing.
 */
export function consolePage(parts: PageHandlerParts, relay: Handler, nowMs = systemClock.monotonicMs): PublicPage {
  /** When the answer for a set of cookies expires. */
  const known = new Map<string, number>();
  const unknown = new Flood(nowMs, UNKNOWN_COOKIES);
  const visit = limited(parts, relay as PublicPage);
  const mayPass = (cookies: string): boolean => (known.get(cookies) ?? 0) > nowMs() || !unknown.isReached();
  return (request, server) => {
    const cookies = sessionCookiesIn(request)
      .map(({ secret }) => secret)
      .join();
    if (cookies === "") return visit(request, server);
    const answered = mayPass(cookies) ? relay(request as BunRequest, server) : visit(request, server);
    return andThen(answered, (response) => {
      if (response.headers.has(SIGNED_IN)) {
        if (known.size >= MAX_KNOWN) known.clear();
        known.set(cookies, nowMs() + KNOWN_FOR_MS);
        response.headers.delete(SIGNED_IN);
      } else if (response.status === 401) known.delete(cookies);
      return response;
    });
  };
}
