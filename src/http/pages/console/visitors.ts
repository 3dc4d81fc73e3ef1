import type { BunRequest } from "bun";
import { andThen } from "../../../base/time/awaitable.ts";
import type { Handler, PublicPage } from "../../pipeline/handler.ts";
import { limited, type PageHandlerParts } from "../page.ts";
import type { KnownSessions } from "./known-sessions.ts";
import { sessionCookiesIn } from "./session-cookie.ts";

/** The console, as a serving thread reaches it. */
export interface ConsoleParts {
  /** Relays a request to the console. */
  readonly relay: Handler;
  readonly sessions: Pick<KnownSessions, "hasAny">;
}

/** Limits callers without a session like the visitors of any page: a made-up cookie gains nothing. */
export function consolePage(parts: PageHandlerParts, { relay, sessions }: ConsoleParts): PublicPage {
  const visit = limited(parts, relay as PublicPage);
  return (request, server) => {
    const secrets = sessionCookiesIn(request).map(({ secret }) => secret);
    if (secrets.length === 0) return visit(request, server);
    return andThen(sessions.hasAny(secrets), (isKnown) =>
      isKnown ? relay(request as BunRequest, server) : visit(request, server),
    );
  };
}
