import { isPlausibleConsoleSecret } from "../../../domain/console-session.ts";

// The session cookie of the console, as both sides of the relay read it.

/** Browsers share cookies between the ports of a host, so the name has the port: stores side by side keep theirs. */
const COOKIE = "animal_store_console";
/** Browsers take a cookie of such a name from pages under https alone. */
const SECURE = "__Secure-";
const COOKIE_NAME = /^(?:__Secure-)?animal_store_console(?:_\d{1,5})?$/;

/** The name of the cookie of a console whose pages are at this origin, as the browser sees it. */
export function cookieNameAt(origin: string | undefined): string {
  const url = origin === undefined ? undefined : URL.parse(origin);
  return `${url?.protocol === "https:" ? SECURE : ""}${COOKIE}${url?.port ? `_${url.port}` : ""}`;
}

/** Once ended the value of a cookie that is for https alone, when its name did not tell. */
const SECURE_MARK = ".s";

/** Another port of the same host can add cookies: of our own name, one for each path, and of as many others as it likes. */
const MAX_COOKIES = 32;

export interface SessionCookie {
  readonly name: string;
  readonly value: string;
  readonly secret: string;
  /** True: it is for https alone. */
  readonly isSecure: boolean;
}

/** The cookie of a console whose pages are at this origin. */
export function newSessionCookie(origin: string | undefined, secret: string): SessionCookie {
  const name = cookieNameAt(origin);
  return { name, value: secret, secret, isSecure: name.startsWith(SECURE) };
}

/** The cookies that may hold a session, the likeliest first. `asked` is the origin that the request names. */
export function sessionCookiesIn(
  { headers, url }: Request,
  asked = URL.parse(url)?.origin as string | undefined,
): readonly SessionCookie[] {
  const sent = (headers.get("cookie") ?? "").split(";").flatMap(sessionCookieIn);
  if (sent.length <= 1) return sent;
  const own = cookieNameAt(headers.get("origin") ?? asked).replace(SECURE, "");
  const foreignness = ({ name }: SessionCookie): number =>
    (name.replace(SECURE, "") === own ? 0 : 2) + (name.startsWith(SECURE) ? 0 : 1);
  return sent.toSorted((a, b) => foreignness(a) - foreignness(b)).slice(0, MAX_COOKIES);
}

function sessionCookieIn(pair: string): SessionCookie[] {
  const [name = "", value = ""] = pair.split("=", 2).map((part) => part.trim());
  const isMarked = value.endsWith(SECURE_MARK);
  const secret = isMarked ? value.slice(0, -SECURE_MARK.length) : value;
  if (!COOKIE_NAME.test(name) || !isPlausibleConsoleSecret(secret)) return [];
  return [{ name, value, secret, isSecure: isMarked || name.startsWith(SECURE) }];
}
