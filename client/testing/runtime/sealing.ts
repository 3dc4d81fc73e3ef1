// No key of a test store may rotate its secret, so nothing is ever sealed.

const NEVER = "animal-store-client/testing: no key of a test store may rotate its secret";

export function seal(): never {
  throw new Error(NEVER);
}

export function unseal(): never {
  throw new Error(NEVER);
}
