import type { Checkup } from "../domain/checkup.ts";
import { lazy } from "../domain/lazy.ts";
import type { DatabaseUrl } from "./database-url.ts";
import type { Store } from "./store.ts";

// The one place that knows which adapter keeps which database. Only the one that is used is loaded.

const sqlite = lazy(() => import("./sqlite/store.ts"));
const postgres = lazy(() => import("./postgres/store.ts"));

/**
 * Opens a store to serve requests from. An embedded database is created if there is none, and only one
 * process at a time may serve it. Fails with an OperatorError.
 */
export async function openForServing(database: DatabaseUrl, options: { readonly connections: number }): Promise<Store> {
  if (database.kind === "sqlite") return (await sqlite()).openForServing(database.path);
  return (await postgres()).openForServing(database.url, options);
}

/** Opens a store for a command, which may run beside a service. Fails with an OperatorError. */
export async function openForCommand(
  database: DatabaseUrl,
  /** Whether an embedded database is created if there is none. */
  options: { readonly create: boolean },
): Promise<Store> {
  if (database.kind === "sqlite") return (await sqlite()).openForCommand(database.path, options);
  return (await postgres()).openForCommand(database.url);
}

const sqliteCheckup = lazy(() => import("./sqlite/checkup.ts"));
const postgresCheckup = lazy(() => import("./postgres/checkup.ts"));

/** What there is to find out about a store, whether a service runs on it or not. Nothing is created or changed. */
export async function openCheckup(
  database: DatabaseUrl,
  options: {
    /** Of each instance, to PostgreSQL. */
    readonly connections: number;
    /** Beside an embedded database: only their owner may read them. */
    readonly otherFiles: readonly string[];
  },
): Promise<Checkup> {
  if (database.kind === "sqlite") return (await sqliteCheckup()).checkSqlite(database.path, options.otherFiles);
  return (await postgresCheckup()).checkPostgres(database.url, options.connections);
}
