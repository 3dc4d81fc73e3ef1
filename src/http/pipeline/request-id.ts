import { mayHoldSecret, withoutSecrets } from "../../base/text/redact.ts";

// The log names a request by its id and its path, neither of which may hold a secret.

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const PATH_MAX_CHARACTERS = 200;

/** Keeps the id that a proxy has set, so that its log and ours can be read together. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  const isKept = given !== null && SANE_REQUEST_ID.test(given) && !mayHoldSecret(given);
  return isKept ? given : crypto.randomUUID();
}

/** The path, cut to a sensible length, without the query: that may hold what does not belong in a log. */
export function loggedPath(url: string): string {
  const path = url.startsWith("/") ? url : url.slice(url.indexOf("/", "https://".length));
  const shown = withoutSecrets(path.split("?", 1)[0] as string);
  return shown.length > PATH_MAX_CHARACTERS ? `${shown.slice(0, PATH_MAX_CHARACTERS)}…` : shown;
}
