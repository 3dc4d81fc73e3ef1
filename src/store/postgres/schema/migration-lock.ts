import { OperatorError } from "../../../base/operator-error.ts";
import { type Connection, openSession, type Session } from "../connections/connection.ts";
import { BESIDE, processesWhere } from "../connections/lock-wait.ts";

/** An arbitrary number, of an advisory lock that no other program takes. */
const MIGRATION_LOCK = 4_705_221_190n;
const HOLDS_IT = `pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND (classid::bigint << 32) | objid::bigint = ${MIGRATION_LOCK})`;
const RETRY_INTERVAL_MS = 100;

interface LockOptions {
  readonly limitMs: number;
  readonly onProgress: (message: string) => void;
  /** Told of the session that will hold the lock, before its first attempt. */
  readonly onSession: (session: Session) => Promise<unknown>;
}

/**
 * Runs work while no other process migrates the database. A session of its own holds the lock in a transaction, so that
 * it ends with this process however that ends, also behind a pooler.
 */
export async function underMigrationLock<T>(url: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const session = await openSession(url, BESIDE);
  const deadlineMs = performance.now() + options.limitMs;
  try {
    await options.onSession(session);
    for (let tries = 1; ; tries++) {
      // A transaction for each attempt: an index waits until all that were reading when it was nearly done have ended.
      const outcome = await session.transact(async (tx) => {
        await tx.run("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0");
        return (await obtain(tx)) ? { value: await work() } : undefined;
      });
      if (outcome) return outcome.value;
      await waitForHolder(session, options, deadlineMs, tries);
    }
  } finally {
    await session.close();
  }
}

async function obtain(tx: Connection): Promise<boolean> {
  // The last statement of this session while work is done: an index waits for every transaction that reads when it is
  // nearly done, and for this one that would be for ever.
  const [row] = await tx.run<{ locked: boolean }>(`SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS locked`);
  return row?.locked === true;
}

async function waitForHolder(
  session: Connection,
  { limitMs, onProgress }: LockOptions,
  deadlineMs: number,
  tries: number,
): Promise<void> {
  const holder = await processesWhere(session, HOLDS_IT);
  if (performance.now() >= deadlineMs)
    throw new OperatorError(
      `another process has been migrating it for ${Math.round(limitMs / 1000)} s: ${holder}. See what it waits for, or end it`,
    );
  if (tries === 1) onProgress(`waiting for another process that is migrating the database: ${holder}`);
  await Bun.sleep(RETRY_INTERVAL_MS);
}
