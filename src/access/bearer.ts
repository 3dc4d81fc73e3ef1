/** The content of an Authorization header. */
export type Credential =
  | { readonly kind: "missing" | "malformed" }
  | { readonly kind: "secret"; readonly secret: string };

const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** A header that was sent twice arrives joined by a comma, and is malformed for that reason. */
export function readBearer(authorization: string | null): Credential {
  if (authorization === null || authorization.trim() === "") return { kind: "missing" };
  const secret = BEARER.exec(authorization)?.[1];
  return secret === undefined ? { kind: "malformed" } : { kind: "secret", secret };
}
