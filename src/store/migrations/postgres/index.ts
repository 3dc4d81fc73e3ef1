import type { Migration } from "../../schema/migrate.ts";
import initial from "./0001_initial.sql" with { type: "text" };
import savedResponses from "./0002_saved_responses.sql" with { type: "text" };
import corrections from "./0003_corrections.sql" with { type: "text" };
import usage from "./0004_usage.sql" with { type: "text" };
import journal from "./0005_journal.sql" with { type: "text" };
import imports from "./0006_imports.sql" with { type: "text" };
import consoleTables from "./0007_console.sql" with { type: "text" };
import consoleAddresses from "./0008_console_addresses.sql" with { type: "text" };
import roles from "./0009_roles.sql" with { type: "text" };
import rotation from "./0010_rotation.sql" with { type: "text" };
import keptRequests from "./0011_kept_requests.sql" with { type: "text" };
import orderHistory from "./0012_order_history.sql" with { type: "text" };

/** Never edit a released one: add the next number. CONTRIBUTING.md says what it may do. */
export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  { number: 1, name: "initial", servesFrom: 1, steps: [{ kind: "sql", sql: initial }] },
  { number: 2, name: "saved_responses", servesFrom: 2, steps: [{ kind: "sql", sql: savedResponses }] },
  {
    number: 3,
    name: "corrections",
    servesFrom: 2,
    steps: [
      { kind: "sql", sql: corrections },
      {
        kind: "fold",
        sql: "SELECT id, CASE WHEN folded_name IS NULL THEN name END AS name FROM animals WHERE id > $1 ORDER BY id LIMIT 5000",
      },
      // Made afterwards: it has only what release 1.1.0 adds from now on.
      { kind: "index", sql: "CREATE INDEX animals_to_fold ON animals (folded_name, id) WHERE folded_name IS NULL" },
      { kind: "index", sql: "CREATE INDEX animals_by_name ON animals (status, folded_name, id)" },
      {
        kind: "index",
        sql: "CREATE INDEX orders_by_reference ON orders (reference, status, id) WHERE reference IS NOT NULL",
      },
    ],
  },
  { number: 4, name: "usage", servesFrom: 2, steps: [{ kind: "sql", sql: usage }] },
  { number: 5, name: "journal", servesFrom: 2, steps: [{ kind: "sql", sql: journal }] },
  { number: 6, name: "imports", servesFrom: 2, steps: [{ kind: "sql", sql: imports }] },
  { number: 7, name: "console", servesFrom: 2, steps: [{ kind: "sql", sql: consoleTables }] },
  { number: 8, name: "console_addresses", servesFrom: 2, steps: [{ kind: "sql", sql: consoleAddresses }] },
  { number: 9, name: "roles", servesFrom: 2, steps: [{ kind: "sql", sql: roles }] },
  {
    number: 10,
    name: "rotation",
    servesFrom: 2,
    steps: [
      { kind: "sql", sql: rotation },
      {
        kind: "index",
        sql: "CREATE INDEX secrets_by_holder ON secrets (created_at) WHERE by_holder IS NOT NULL",
      },
    ],
  },
  { number: 11, name: "kept_requests", servesFrom: 2, steps: [{ kind: "sql", sql: keptRequests }] },
  { number: 12, name: "order_history", servesFrom: 2, steps: [{ kind: "sql", sql: orderHistory }] },
];
