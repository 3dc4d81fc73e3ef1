/** The SQLSTATE of an error, or of the cause that an error of ours wraps. */
export function sqlStateOf(error: unknown): string | undefined {
  const { errno, cause } = (error ?? {}) as { errno?: unknown; cause?: unknown };
  return typeof errno === "string" ? errno : cause === undefined ? undefined : sqlStateOf(cause);
}

export const READ_ONLY = "25006";
/** The server itself does not know whether the statement was completed. */
export const COMPLETION_UNKNOWN = "40003";
export const INSUFFICIENT_PRIVILEGE = "42501";
export const TOO_MANY_CONNECTIONS = "53300";
const UNIQUE_VIOLATION = "23505";
const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK_DETECTED = "40P01";
const QUERY_CANCELED = "57014";

/** A unique value is taken. */
export const isDuplicate = (error: unknown): boolean => sqlStateOf(error) === UNIQUE_VIOLATION;

/** A row with the same key exists already. */
export const isTaken = (error: unknown, table: string): boolean =>
  isDuplicate(error) && (error as { constraint?: string }).constraint === `${table}_pkey`;

/** The wait for somebody else's lock timed out. */
export const wasBlocked = (error: unknown): boolean =>
  [LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED].includes(sqlStateOf(error) ?? "");

/** A statement was cancelled: by its timeout, or by somebody. */
export const wasCancelled = (error: unknown): boolean => sqlStateOf(error) === QUERY_CANCELED;

/** The message for a write that others' writes or locks have prevented. */
export const IN_THE_WAY = "others keep getting in the way of a write";
