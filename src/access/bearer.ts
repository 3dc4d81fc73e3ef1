/** What an Authorization header holds: a secret, nothing, or something that is no bearer credential. */
export type Credential =
  | { readonly kind: "none" }
  | { readonly kind: "malformed" }
  | { readonly kind: "secret"; readonly secret: string };

const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** Reads the header. One that was sent twice arrives joined by a comma, and so is malformed. */
export function readBearer(authorization: string | null): Credential {
  if (authorization === null || authorization.trim() === "") return { kind: "none" };
  const secret = BEARER.exec(authorization)?.[1];
  return secret === undefined ? { kind: "malformed" } : { kind: "secret", secret };
}
