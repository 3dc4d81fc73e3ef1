import { OperatorError } from "../../domain/operator-error.ts";
import { type Connection, openSession } from "./connection.ts";
import { processesWhere } from "./lock-wait.ts";

/** An arbitrary number: of an advisory lock that no other program takes. */
const MIGRATION_LOCK = 4_705_221_190n;
const HOLDS_IT = `pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND (classid::bigint << 32) | objid::bigint = ${MIGRATION_LOCK})`;
const RETRY_INTERVAL_MS = 100;

/**
 * Runs work while no other process migrates the database. A session of its own holds the lock in a transaction, so that
 * it ends with this process however that ends, also behind a pooler; it reads, and can be used to look around.
 */
export async function underMigrationLock<T>(
  url: string,
  options: { readonly limitMs: number; readonly onProgress: (message: string) => void },
  work: (observer: Connection) => Promise<T>,
): Promise<T> {
  const session = await openSession(url, { application_name: "animal-store migrate" });
  try {
    return await session.transact(async (tx) => {
      await tx.run("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0");
      await obtain(tx, options);
      return work(tx);
    });
  } finally {
    await session.close();
  }
}

async function obtain(
  tx: Connection,
  { limitMs, onProgress }: { readonly limitMs: number; readonly onProgress: (message: string) => void },
): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  for (let tries = 1; ; tries++) {
    // Without a parameter: that would keep a snapshot for as long as the transaction, for which an index waits.
    const [row] = await tx.run<{ locked: boolean }>(`SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS locked`);
    if (row?.locked) return;
    const holder = await processesWhere(tx, HOLDS_IT);
    if (performance.now() >= deadlineMs)
      throw new OperatorError(
        `another process has been migrating it for ${Math.round(limitMs / 1000)} s: ${holder}. See what it waits for, or end it`,
      );
    if (tries === 1) onProgress(`waiting for another process that is migrating the database: ${holder}`);
    await Bun.sleep(RETRY_INTERVAL_MS);
  }
}
