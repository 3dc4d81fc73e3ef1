import type { BunRequest } from "bun";
import { andThen } from "../../../base/time/awaitable.ts";
import { MINUTE_MS } from "../../../base/time/clock.ts";
import type { Handler, PublicPage } from "../../pipeline/handler.ts";
import { Flood } from "../../reply/floods.ts";
import { limited, type PageHandlerParts } from "../page.ts";
import { consoleTicketsIn, SIGNED_IN } from "./ticket.ts";

/** Of cookies that nobody knows, so many are looked at in a tenth of a second: enough for all who come back. */
const UNKNOWN_TICKETS = 10;
/** Pages ask every few seconds. */
const KNOWN_FOR_MS = MINUTE_MS;
const MAX_KNOWN = 1_000;

/**
 * Whoever has no session is a visitor like any other. Whether a cookie is that of a session, only the console knows: a
 * thread remembers what it said, so that a cookie that is made up opens nothing that visitors do not have.
 */
export function consolePage(parts: PageHandlerParts, relay: Handler, nowMs = monotonic): PublicPage {
  /** Until when, by ticket. */
  const known = new Map<string, number>();
  const unknown = new Flood(nowMs, UNKNOWN_TICKETS);
  const visit = limited(parts, relay as PublicPage);
  const mayPass = (ticket: string): boolean => (known.get(ticket) ?? 0) > nowMs() || !unknown.isReached();
  return (request, server) => {
    const ticket = consoleTicketsIn(request)
      .map(({ value }) => value)
      .join();
    if (ticket === "") return visit(request, server);
    const answered = mayPass(ticket) ? relay(request as BunRequest, server) : visit(request, server);
    return andThen(answered, (response) => {
      if (response.headers.has(SIGNED_IN)) {
        if (known.size >= MAX_KNOWN) known.clear();
        known.set(ticket, nowMs() + KNOWN_FOR_MS);
        response.headers.delete(SIGNED_IN);
      } else if (response.status === 401) known.delete(ticket);
      return response;
    });
  };
}

const monotonic = (): number => performance.now();
