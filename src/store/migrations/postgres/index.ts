import type { Migration } from "../../migrate.ts";
import initial from "./0001_initial.sql" with { type: "text" };
import savedResponses from "./0002_saved_responses.sql" with { type: "text" };

/** Never edit a released one: add the next number. CONTRIBUTING.md says what it may do. */
export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  { number: 1, name: "initial", servesFrom: 1, steps: [{ kind: "sql", sql: initial }] },
  { number: 2, name: "saved_responses", servesFrom: 2, steps: [{ kind: "sql", sql: savedResponses }] },
];
