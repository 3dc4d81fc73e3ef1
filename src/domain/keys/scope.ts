/** Rights that a key can have. */
export const SCOPES = ["pets:read", "pets:write", "orders:read", "orders:write"] as const;
export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

/** The right to rotate one's own secret. It is no scope: a key does not get it by having all of them. */
export const ROTATION = "key:rotate";

/** A right that an operation may require of a key. */
export type Right = Scope | typeof ROTATION;

export const RIGHTS: readonly Right[] = [...SCOPES, ROTATION];

/** The scopes of a key that can change nothing. */
export const READ_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope.endsWith(":read"));

/** The same scopes without repetition, in the order of SCOPES. */
export const inOrder = (scopes: readonly Scope[]): readonly Scope[] => SCOPES.filter((scope) => scopes.includes(scope));
