import type { Migration } from "../../migrate.ts";
import initial from "./0001_initial.sql" with { type: "text" };
import orders from "./0002_orders.sql" with { type: "text" };

/** Never edit one that was released: add the next number. */
export const SQLITE_MIGRATIONS: readonly Migration[] = [
  { number: 1, name: "initial", sql: initial },
  { number: 2, name: "orders", sql: orders },
];
