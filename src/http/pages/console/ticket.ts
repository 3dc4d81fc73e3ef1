import { isPlausibleConsoleSecret } from "../../../domain/console-session.ts";

// What a browser keeps of a session in the console, as both sides of the relay read it.

/** Cookies belong to a host, whatever its port: one at a port has it in its name, so that stores side by side keep theirs. */
const COOKIE = "animal_store_console";
const COOKIE_NAME = /^animal_store_console(?:_\d{1,5})?$/;

/** The cookie of a console whose pages are at this origin, as the browser sees it. */
export function consoleCookieAt(origin: string | undefined): string {
  const port = origin === undefined ? "" : (URL.parse(origin)?.port ?? "");
  return port === "" ? COOKIE : `${COOKIE}_${port}`;
}

/** At the end of a cookie that is for https alone: a request does not tell which attributes its cookies have. */
export const SECURE_MARK = ".s";

/** Another port of the same host can add cookies of such a name. No more than these are looked at. */
const MAX_TICKETS = 8;

export interface NamedTicket {
  readonly name: string;
  readonly value: string;
}

/** The cookies that may be that of a session, in the order in which the browser has sent them. */
export function consoleTicketsIn({ headers }: Request): readonly NamedTicket[] {
  const found: NamedTicket[] = [];
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const [name = "", value = ""] = pair.split("=", 2).map((part) => part.trim());
    if (!COOKIE_NAME.test(name) || !isPlausibleConsoleSecret(secretOf(value))) continue;
    if (found.push({ name, value }) === MAX_TICKETS) break;
  }
  return found;
}

export const secretOf = (ticket: string): string =>
  ticket.endsWith(SECURE_MARK) ? ticket.slice(0, -SECURE_MARK.length) : ticket;

/** Said by the console of a request that came in a session, for the thread that handed it on. */
export const SIGNED_IN = "x-animal-store-signed-in";
