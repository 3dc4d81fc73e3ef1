import type { Migration } from "../../migrate.ts";
import initial from "./0001_initial.sql" with { type: "text" };
import orders from "./0002_orders.sql" with { type: "text" };
import savedResponses from "./0003_saved_responses.sql" with { type: "text" };

/** Never edit a released one: add the next number. CONTRIBUTING.md says what it may do. */
export const SQLITE_MIGRATIONS: readonly Migration[] = [
  { number: 1, name: "initial", servesFrom: 1, steps: [{ kind: "sql", sql: initial }] },
  { number: 2, name: "orders", servesFrom: 2, steps: [{ kind: "sql", sql: orders }] },
  { number: 3, name: "saved_responses", servesFrom: 3, steps: [{ kind: "sql", sql: savedResponses }] },
];
