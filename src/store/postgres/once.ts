import { completed, judgeRepeat, type KeptAnswer, type Once, type Written } from "../../domain/once.ts";
import { onceRecordOf, type Row, SWEEP_MAX_ROWS } from "../rows.ts";
import type { Store } from "../store.ts";
import type { Pool, Sql, Transaction } from "./database.ts";

/** As the embedded store's: a write and the record of it in one transaction. */
export type WriteOnce = <Result>(
  once: Once | undefined,
  write: (sql: Sql | Transaction) => Promise<Result>,
  idIn: (result: Result) => bigint | undefined,
) => Promise<Written<Result>>;

export function postgresOnce(pool: Pool): { writeOnce: WriteOnce; sweep: Store["sweep"] } {
  const writeOnce: WriteOnce = async (once, write, idIn) => {
    // A write without a token is one statement, or opens a transaction of its own.
    if (!once) return { kind: "done", result: await pool.write(write) };
    return pool.transact(async (tx) => {
      // Copies queue here, and find the record of the first when it is their turn.
      await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`${once.keyId} ${once.token}`}, 0))`;
      const [row] = await tx<Row[]>`SELECT * FROM answers WHERE key_id = ${once.keyId} AND token = ${once.token}`;
      const repeat = judgeRepeat(onceRecordOf(row), once);
      if (repeat) return repeat;
      const result = await write(tx);
      const id = idIn(result);
      if (id !== undefined) await keep(tx, once, completed(once.draft, id));
      return { kind: "done" as const, result };
    });
  };

  return {
    writeOnce,
    sweep: async (answeredUntilMs) => {
      const { count } = await pool.write(
        (sql) => sql`DELETE FROM answers WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM answers WHERE answered_at <= ${answeredUntilMs} LIMIT ${SWEEP_MAX_ROWS} FOR UPDATE SKIP LOCKED))`,
      );
      return count === SWEEP_MAX_ROWS;
    },
  };
}

const keep = (tx: Transaction, once: Once, { status, body, location }: KeptAnswer) =>
  tx`INSERT INTO answers (key_id, token, fingerprint, answered_at, status, body, location)
    VALUES (${once.keyId}, ${once.token}, ${once.fingerprint}, ${once.nowMs}, ${status}, ${body}, ${location})
    ON CONFLICT (key_id, token) DO UPDATE SET fingerprint = excluded.fingerprint, answered_at = excluded.answered_at,
      status = excluded.status, body = excluded.body, location = excluded.location`;
