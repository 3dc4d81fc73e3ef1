import type { Store } from "./store.ts";

/** Where a store lies. */
export type DatabaseAddress =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

/** As node:path would resolve it, which takes long to load. */
export const absolutePath = (path: string): string => Bun.fileURLToPath(Bun.pathToFileURL(path));

/** An address for people to read: without a password. */
export function nameOf(address: DatabaseAddress): string {
  if (address.kind === "sqlite") return absolutePath(address.path);
  const { hostname, port, pathname } = new URL(address.url);
  return `postgres://${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
}

export interface OpenOptions {
  /** Make an embedded database when there is none. */
  readonly create: boolean;
  /** Open it to serve, which one process at a time may do with an embedded database. */
  readonly serve: boolean;
  /** Connections to a PostgreSQL server. */
  readonly connections: number;
}

/** The one place that knows which adapter keeps which database. Fails with an OperatorError. */
export async function openStore(address: DatabaseAddress, options: OpenOptions): Promise<Store> {
  if (address.kind === "sqlite") return (await import("./sqlite/store.ts")).openSqliteStore(address.path, options);
  return (await import("./postgres/store.ts")).openPostgresStore(address.url, options.connections);
}
