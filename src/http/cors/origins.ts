import { Mistake } from "../../base/mistake.ts";
import { quote } from "../../base/text/text.ts";

/** The origins whose pages may call the API, each as browsers send it; `*`: all; undefined: none. Plain data. */
export type CorsOrigins = "*" | readonly string[] | undefined;

const EXAMPLES = "https://app.example.com, http://localhost:3000";

/** Parses "https://app.example.com, …", or "*". Origins are normalized to what browsers send. */
export function parseCorsOrigins(text: string): CorsOrigins | Mistake {
  if (text.trim() === "") return undefined;
  // Checked before any message quotes the text: a password may have a comma in it.
  if (text.includes("@"))
    return new Mistake("must have no user or password in an origin; use only the scheme and the host");
  const entries = text
    .split(",")
    .map((part) => part.trim())
    .filter((entry) => entry !== "");
  if (entries.length === 0)
    return new Mistake(`must be * or a comma-separated list of origins, for example ${EXAMPLES}`);
  if (entries.includes("*"))
    return entries.length === 1 ? "*" : new Mistake("must be either * for all origins or a list without *");
  const origins = new Set<string>();
  for (const entry of entries) {
    const origin = parseOrigin(entry);
    if (origin instanceof Mistake) return origin;
    origins.add(origin);
  }
  return [...origins];
}

const FORM = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)(.*)$/i;
/** A normalized host of http or https. */
const HOST = /^(?:[a-z0-9_.-]+|\[[0-9a-f:]+\])(?::[0-9]+)?$/;
/** A host of browser extensions and app frameworks, which is kept as it is written. */
const OTHER_HOST = /^[A-Za-z0-9_.-]+(?::[0-9]{1,5})?$/;
/** Schemes whose pages have no origin, or that have no pages. */
const WITHOUT_ORIGIN = ["about", "blob", "data", "file", "filesystem", "ftp", "javascript", "ws", "wss"];

function parseOrigin(entry: string): string | Mistake {
  const [, givenScheme = "", authority = "", rest = ""] = FORM.exec(entry) ?? [];
  const scheme = givenScheme.toLowerCase();
  if (entry === "null")
    return new Mistake(
      'must not have "null", which any sandboxed frame can send; serve the page from an origin of its own, and list that',
    );
  if (entry.includes("*"))
    return new Mistake(`must not have the pattern ${quote(entry)}; list each origin in full, or use * alone`);
  if (/\s/.test(entry)) return new Mistake(`must have commas between origins, not spaces as in ${quote(entry)}`);
  if (!entry.includes("://"))
    return new Mistake(`must have a scheme in ${quote(entry)}, for example https:// before the host`);
  if (WITHOUT_ORIGIN.includes(scheme))
    return new Mistake(`must not have ${quote(entry)}; browsers never send an origin with the scheme ${scheme}`);
  const origin = /^https?$/.test(scheme) ? webOrigin(scheme, authority) : otherOrigin(scheme, authority);
  if (origin === undefined)
    return new Mistake(`must not have ${quote(entry)}, which is not an origin; use, for example, ${EXAMPLES}`);
  if (rest !== "" && rest !== "/")
    return new Mistake(`must have ${origin} instead of ${quote(entry)}; an origin has no path, query or fragment`);
  return origin;
}

/** Normalizes to lower case, no default port, and Punycode. */
function webOrigin(scheme: string, authority: string): string | undefined {
  const url = URL.parse(`${scheme}://${authority}`);
  return url && HOST.test(url.host) ? url.origin : undefined;
}

const otherOrigin = (scheme: string, authority: string): string | undefined =>
  OTHER_HOST.test(authority) ? `${scheme}://${authority}` : undefined;
