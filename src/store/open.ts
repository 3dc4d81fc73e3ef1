import type { Checkup } from "../domain/checkup/checkup.ts";
import type { AnimalSnapshot, ServingStore, Store } from "./ports/store.ts";
import type { PostgresHandle, PostgresServingOptions } from "./postgres/store.ts";
import { CHANGES_NO_SCHEMA, MIGRATES, type Migrated } from "./schema/migrate.ts";
import type { SqliteHandle } from "./sqlite/store.ts";
import { type DatabaseUrl, locationOf } from "./urls/database-url.ts";

export type { Migrated } from "./schema/migrate.ts";

// The one place that knows which adapter keeps which database. Only the one that is used is loaded.

const STORES = {
  sqlite: () => import("./sqlite/store.ts"),
  postgres: () => import("./postgres/store.ts"),
};

/** An embedded database needs no connections. */
export interface ServingOptions
  extends Pick<PostgresServingOptions, "connections" | "threads" | "onProgress" | "deadlineMs"> {
  /** The schema may be created or migrated, if necessary. */
  readonly mayMigrate: boolean;
}

/**
 * Opens a store to serve requests from. An embedded database is created if there is none, and only one
 * process at a time may serve it. Fails with an OperatorError.
 */
export async function openForServing(
  database: DatabaseUrl,
  options: ServingOptions,
): Promise<ServingStore<StoreHandle>> {
  const rules = options.mayMigrate ? MIGRATES : CHANGES_NO_SCHEMA;
  if (database.kind === "sqlite") return (await STORES.sqlite()).openForServing(database.path, undefined, rules);
  return (await STORES.postgres()).openForServing(database.url, { ...options, rules });
}

/** The data that one more thread of the process opens a store with. It is sent there, with its port if it has one. */
export type StoreHandle = SqliteHandle | PostgresHandle;

/** Opens the store of one more thread. */
export async function openHandle(storeHandle: StoreHandle): Promise<Store> {
  return storeHandle.kind === "sqlite"
    ? (await STORES.sqlite()).openHandle(storeHandle)
    : (await STORES.postgres()).openHandle(storeHandle);
}

/** Opens a store for a command, which may run beside a service. Fails with an OperatorError. */
export async function openForCommand(
  database: DatabaseUrl,
  /** Creates a database if there is none, or the schema of an empty one. */
  options: { readonly create: boolean },
): Promise<Store> {
  return (await STORES[database.kind]()).openForCommand(locationOf(database), options);
}

const SNAPSHOTS = {
  sqlite: () => import("./sqlite/animal-snapshot.ts"),
  postgres: () => import("./postgres/animal-snapshot.ts"),
};

/** Opens a snapshot of all animals, on a connection of its own. Fails with an OperatorError. */
export const openAnimalSnapshot = async (database: DatabaseUrl): Promise<AnimalSnapshot> =>
  (await SNAPSHOTS[database.kind]()).openAnimalSnapshot(locationOf(database));

/** Opens a snapshot in the process that serves the store. It may do so as often as it likes. */
export async function openServedSnapshot(storeHandle: StoreHandle): Promise<AnimalSnapshot> {
  if (storeHandle.kind === "sqlite") return (await SNAPSHOTS.sqlite()).openServedSnapshot(storeHandle.path);
  return openAnimalSnapshot(storeHandle);
}

/** Returns what a migration of the schema would do. Changes nothing. Fails with an OperatorError. */
export async function inspectStore(database: DatabaseUrl): Promise<Migrated> {
  if (database.kind === "sqlite") return (await import("./sqlite/migrate.ts")).inspectFile(database.path);
  return (await import("./postgres/migrate.ts")).inspectDatabase(database.url);
}

/** Migrates a schema, or creates it. Returns what it did. Fails with an OperatorError. */
export async function migrateStore(database: DatabaseUrl, onProgress: (message: string) => void): Promise<Migrated> {
  if (database.kind === "sqlite") return (await import("./sqlite/migrate.ts")).migrateFile(database.path);
  return (await import("./postgres/migrate.ts")).migrateDatabase(database.url, onProgress);
}

/** Returns the checks of a store, whether a service runs on it or not. Nothing is created or changed. */
export async function openCheckup(
  database: DatabaseUrl,
  options: {
    /** Connections of each instance to PostgreSQL. */
    readonly connections: number;
    /** Other files beside an embedded database, which only their owner may read. */
    readonly otherFiles: readonly string[];
  },
): Promise<Checkup> {
  if (database.kind === "postgres")
    return (await import("./postgres/checkup.ts")).checkPostgres(database.url, options.connections);
  return (await import("./sqlite/checkup.ts")).checkSqlite(database.path, options.otherFiles);
}
