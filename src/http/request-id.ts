import { withoutSecrets } from "../domain/key.ts";

// How a request is named in the log: by its id and its path, neither of which may hold a secret.

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** A proxy's own id is kept, so that its log and ours can be read together. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  const isSane = given !== null && SANE_REQUEST_ID.test(given) && withoutSecrets(given) === given;
  return isSane ? given : crypto.randomUUID();
}

/** Without the query, which may hold what does not belong in a log. */
export function loggedPath(url: string): string {
  const path = url.startsWith("/") ? url : url.slice(url.indexOf("/", "https://".length));
  return withoutSecrets(path.split("?", 1)[0] as string);
}
