// What the console's pages and its server say to each other, as JSON: the pages import these types, and nothing else of
// the server. Times are milliseconds since 1970. Ids of animals, orders, categories and entries are decimal strings, so
// that no digit is lost.

export type * from "./api/animals.ts";
export type * from "./api/common.ts";
export type * from "./api/imports.ts";
export type * from "./api/journal.ts";
export type * from "./api/keys.ts";
export type * from "./api/orders.ts";
export type * from "./api/overview.ts";
export type * from "./api/session.ts";
export type * from "./api/usage.ts";
