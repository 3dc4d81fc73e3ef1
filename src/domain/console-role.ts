/** A role says what a person who is signed in to the console may do. Links without one are for operators. */
export const ROLES = ["operator", "clerk", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** The roles that may do something: at least one. */
export type Roles = readonly [Role, ...Role[]];

// A route of the console is declared with one of these, and the pages hide what it leaves out.

export const EVERYBODY: Roles = ROLES;
/** The pages of keys. */
export const READS_KEYS: Roles = ["operator", "viewer"];
/** Animals, orders, categories and imports. */
export const WRITES_STOCK: Roles = ["operator", "clerk"];
/** Keys and their secrets, exports, and the sessions of others. */
export const OPERATOR_ONLY: Roles = ["operator"];

export const isRole = (text: unknown): text is Role => ROLES.includes(text as Role);
