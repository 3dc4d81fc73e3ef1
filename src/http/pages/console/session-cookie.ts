import { isPlausibleConsoleSecret } from "../../../domain/console-session.ts";

// The session cookie of the console, as both sides of the relay read it.

/** Browsers share cookies between the ports of a host, so the name has the port: stores side by side keep theirs. */
const COOKIE = "animal_store_console";
const COOKIE_NAME = /^animal_store_console(?:_\d{1,5})?$/;

/** The name of the cookie of a console whose pages are at this origin, as the browser sees it. */
export function cookieNameAt(origin: string | undefined): string {
  const port = origin === undefined ? "" : (URL.parse(origin)?.port ?? "");
  return port === "" ? COOKIE : `${COOKIE}_${port}`;
}

/** Ends the value of a cookie that is for https alone: a request does not tell which attributes its cookies have. */
export const SECURE_MARK = ".s";

/** Another port of the same host can add cookies of such a name, so only the first few are tried. */
const MAX_COOKIES = 8;

export interface SessionCookie {
  readonly name: string;
  readonly secret: string;
  /** True: it is for https alone. */
  readonly isSecure: boolean;
}

/** The cookies that may hold a session, in the order the browser sent them. */
export function sessionCookiesIn({ headers }: Request): readonly SessionCookie[] {
  const found: SessionCookie[] = [];
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const [name = "", value = ""] = pair.split("=", 2).map((part) => part.trim());
    const isSecure = value.endsWith(SECURE_MARK);
    const secret = isSecure ? value.slice(0, -SECURE_MARK.length) : value;
    if (!COOKIE_NAME.test(name) || !isPlausibleConsoleSecret(secret)) continue;
    if (found.push({ name, secret, isSecure }) === MAX_COOKIES) break;
  }
  return found;
}

/** The console sets it on responses to requests in a session, for the thread that relayed them. */
export const SIGNED_IN = "x-animal-store-signed-in";
