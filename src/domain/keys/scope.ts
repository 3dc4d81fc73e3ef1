/** What a key may do. */
export const SCOPES = ["pets:read", "pets:write", "orders:read", "orders:write"] as const;
export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

/** Those of a key that can change nothing. */
export const READ_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope.endsWith(":read"));

/** Each once, in the order of SCOPES. */
export const inOrder = (scopes: readonly Scope[]): readonly Scope[] => SCOPES.filter((scope) => scopes.includes(scope));
