import { SECOND_MS } from "../../base/time/clock.ts";
import { SESSION_LASTS_MS } from "../../domain/console-session.ts";
import type { Caller } from "../../http/pages/console/relay.ts";
import { cookieNameAt, SECURE_MARK, type SessionCookie } from "../../http/pages/console/session-cookie.ts";

/** For a browser that signs in. Its own Origin header comes first: a proxy may end TLS without telling us. */
export function newSessionCookie({ headers }: Request, caller: Caller, secret: string): SessionCookie {
  const origin = headers.get("origin") ?? caller.origin;
  return { name: cookieNameAt(origin), secret, isSecure: origin?.startsWith("https:") ?? false };
}

/** Scripts cannot read it, other sites cannot send it, and /v1 never gets it. It lasts as long as the session. */
export const setCookie = ({ name, secret, isSecure }: SessionCookie, base: string): string =>
  `${name}=${secret}${isSecure ? SECURE_MARK : ""}; ${attributes(base)}; Max-Age=${SESSION_LASTS_MS / SECOND_MS}${isSecure ? "; Secure" : ""}`;

export const clearCookie = ({ name }: SessionCookie, base: string): string =>
  `${name}=; ${attributes(base)}; Max-Age=0`;

const attributes = (base: string): string => `Path=${base}; HttpOnly; SameSite=Strict`;
