import { SECOND_MS } from "../../base/time/clock.ts";
import { SESSION_LASTS_MS } from "../../domain/console-session.ts";
import type { Caller } from "../../http/pages/console/relay.ts";
import { consoleCookieAt, consoleTicketsIn, SECURE_MARK, secretOf } from "../../http/pages/console/ticket.ts";

/** What a browser keeps about a session. */
export interface Ticket {
  /** Of the cookie. */
  readonly name: string;
  readonly secret: string;
  /** Whether the cookie is for https alone. */
  readonly isSecure: boolean;
}

/** Those that a request may be signed in by. */
export const ticketsIn = (request: Request): readonly Ticket[] =>
  consoleTicketsIn(request).map(({ name, value }) => ({
    name,
    secret: secretOf(value),
    isSecure: value.endsWith(SECURE_MARK),
  }));

/** For a browser that signs in. What it says about its page itself comes first: a proxy may end TLS without telling us. */
export function newTicket({ headers }: Request, caller: Caller, secret: string): Ticket {
  const origin = headers.get("origin") ?? caller.origin;
  return { name: consoleCookieAt(origin), secret, isSecure: origin?.startsWith("https:") ?? false };
}

/** Scripts cannot read it, other sites cannot use it, and the API never gets it. It lasts as long as the session. */
export const cookieWith = ({ name, secret, isSecure }: Ticket, base: string): string =>
  `${name}=${secret}${isSecure ? SECURE_MARK : ""}; ${attributes(base)}; Max-Age=${SESSION_LASTS_MS / SECOND_MS}${isSecure ? "; Secure" : ""}`;

export const endingCookie = ({ name }: Ticket, base: string): string => `${name}=; ${attributes(base)}; Max-Age=0`;

const attributes = (base: string): string => `Path=${base}; HttpOnly; SameSite=Strict`;
