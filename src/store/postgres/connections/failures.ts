import { StoreUnavailable } from "../../ports/store.ts";
import { COMPLETION_UNKNOWN, READ_ONLY } from "./sql-state.ts";

type Changed = StoreUnavailable["changed"];

interface DriverError extends Error {
  /** The driver's own code. */
  readonly code?: string;
  /** The server's SQLSTATE. */
  readonly errno?: string;
  readonly severity?: string;
}

/** Connections, resources, operator intervention, system errors, rollbacks, a read-only server, locks not obtained. */
const UNAVAILABLE = /^(08|53|57|58|40|25006|55P03)/;

/** Codes of the driver for connections, as opposed to mistakes in how it is called. */
const DRIVER_LOST_CONNECTION =
  /^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|QUERY_CANCELLED|TLS|UNEXPECTED|INVALID_MESSAGE|EXPECTED)|CERT|VERIFY/;

/** The transaction was aborted before; poolers have been seen to say so too. */
const ROLLED_BACK = "ERR_POSTGRES_COMMIT_ROLLED_BACK";

/** Messages of poolers that have lost the server: ordinary errors, on a connection that stays open. */
const SERVER_LOST = /^08/;

/** True if the connection failed, rather than the statement. */
export function isConnectionLost(error: unknown): boolean {
  const { code = "", errno, severity } = error as DriverError;
  if (errno === undefined) return DRIVER_LOST_CONNECTION.test(code);
  return severity === "FATAL" || severity === "PANIC" || SERVER_LOST.test(errno);
}

/** True for a write to a read-only server: a replica, or a primary that has been demoted. */
export const isReadOnly = (error: unknown): boolean => (error as DriverError).errno === READ_ONLY;

/**
 * A failure as the store's port knows it. A server that rejects a statement has rolled it back; one that ends the
 * connection instead may have committed first, so then only the caller knows what may have changed.
 */
export function storeFailure(error: unknown, changed: Changed): unknown {
  if (error instanceof StoreUnavailable) return error;
  const { code = "", errno, message } = error as DriverError;
  if (isConnectionLost(error) || errno === COMPLETION_UNKNOWN)
    return new StoreUnavailable(`${errno ?? code}: ${message}`, { changed, cause: error });
  if (code === ROLLED_BACK || UNAVAILABLE.test(errno ?? ""))
    return new StoreUnavailable(`${errno ?? code}: ${message}`, { cause: error });
  return error;
}
