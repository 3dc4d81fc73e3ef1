import type { Migration } from "../../migrate.ts";
import initial from "./0001_initial.sql" with { type: "text" };
import orders from "./0002_orders.sql" with { type: "text" };
import savedResponses from "./0003_saved_responses.sql" with { type: "text" };

/** Never edit a released one: add the next number. */
export const SQLITE_MIGRATIONS: readonly Migration[] = [
  { number: 1, name: "initial", sql: initial },
  { number: 2, name: "orders", sql: orders },
  { number: 3, name: "saved_responses", sql: savedResponses },
];
