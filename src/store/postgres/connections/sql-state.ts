/** What the server says that is wrong, in five characters; also when an error of ours was made of it. */
export function sqlStateOf(error: unknown): string | undefined {
  const { errno, cause } = (error ?? {}) as { errno?: unknown; cause?: unknown };
  return typeof errno === "string" ? errno : cause === undefined ? undefined : sqlStateOf(cause);
}

export const READ_ONLY = "25006";
/** The server does not know itself whether the statement was completed. */
export const COMPLETION_UNKNOWN = "40003";
export const INSUFFICIENT_PRIVILEGE = "42501";
export const TOO_MANY_CONNECTIONS = "53300";
const UNIQUE_VIOLATION = "23505";
const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK_DETECTED = "40P01";

/** Whether somebody else has what no two rows may have. */
export const isDuplicate = (error: unknown): boolean => sqlStateOf(error) === UNIQUE_VIOLATION;

/** Whether a row with the same key is there already. */
export const isTaken = (error: unknown, table: string): boolean =>
  isDuplicate(error) && (error as { constraint?: string }).constraint === `${table}_pkey`;

/** Whether somebody else's lock was waited for in vain. */
export const wasBlocked = (error: unknown): boolean =>
  [LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED].includes(sqlStateOf(error) ?? "");

/** Why a write is given up that somebody else's writes or locks have kept from being made. */
export const IN_THE_WAY = "others keep getting in the way of a write";
