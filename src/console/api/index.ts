// The JSON that the console's pages and its server exchange: the pages import these types, and nothing else of
// the server. Times are milliseconds since 1970. Ids of animals, orders, categories and entries are decimal strings, so
// that no digit is lost.

export type * from "./animals.ts";
export type * from "./common.ts";
export type * from "./imports.ts";
export type * from "./journal.ts";
export type * from "./keys.ts";
export type * from "./orders.ts";
export type * from "./overview.ts";
export type * from "./requests.ts";
export type * from "./session.ts";
export type * from "./usage.ts";
