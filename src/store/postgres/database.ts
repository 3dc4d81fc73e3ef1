import { StoreUnavailable } from "../ports/store.ts";
import { clientMaker, operatorError } from "./connections/client.ts";
import { APPLICATION, applicationName } from "./connections/connection.ts";
import { PLANNING } from "./connections/dialect.ts";
import { DEADLINE_MS, Pool } from "./connections/pool.ts";
import { openOnSchema, type SchemaOptions } from "./migrate.ts";

export type { Pool } from "./connections/pool.ts";

/** Limits that the server enforces: earlier than the pool would, and also after this process is gone. */
const serverLimits = (deadlineMs: number) => ({
  statement_timeout: deadlineMs - 300,
  lock_timeout: deadlineMs - 800,
  idle_in_transaction_session_timeout: deadlineMs + 3_200,
});

/** A pool to serve from, on a schema that this version can use. Fails with an OperatorError. */
export async function openPool(
  url: string,
  connections: number,
  schema: SchemaOptions,
  deadlineMs = DEADLINE_MS,
): Promise<Pool> {
  await (await openOnSchema(url, schema)).close();
  const name = applicationName(url, `${APPLICATION.application_name} ${crypto.randomUUID().slice(0, 8)}`);
  const settings = { ...serverLimits(deadlineMs), ...PLANNING };
  const pool = new Pool(await clientMaker(url), { connections, settings, name, deadlineMs });
  try {
    await firstConnection(pool);
    return pool;
  } catch (error) {
    await pool.close();
    throw await operatorError(url, error);
  }
}

const FIRST_ATTEMPTS = 5;
const ATTEMPT_DELAY_MS = 200;

/**
 * The server has just answered, so it is only late if it does not now: the session that migrated may have had the last free
 * connection, which is free again a moment after its end, or the machine is busy.
 */
async function firstConnection(pool: Pool): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await pool.read("SELECT 1");
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      if (attempt === FIRST_ATTEMPTS) throw error.cause ?? error;
      await Bun.sleep(ATTEMPT_DELAY_MS);
    }
  }
}
