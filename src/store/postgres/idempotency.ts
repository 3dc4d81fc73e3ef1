import { type IdempotencyKey, type IdempotentResult, replayOf } from "../../domain/idempotency.ts";
import type { Result } from "../../domain/result.ts";
import {
  DELETE_BATCH_SIZE,
  insertInto,
  orReplace,
  type Row,
  SAVED_RESPONSES,
  savedResponseOf,
  savedResponseValues,
  selectFrom,
} from "../rows.ts";
import type { Store } from "../store.ts";
import type { Pool, Sql, Transaction } from "./database.ts";
import { POSTGRES, run } from "./dialect.ts";

/** Makes a write retriable: a retry gets the response that was saved with the first request. */
export type WithIdempotency = <Value, Reason = never>(
  key: IdempotencyKey | undefined,
  write: (sql: Sql | Transaction) => Promise<Result<Value, Reason>>,
  /** Whether one statement does all of the write: without a key it then needs no transaction around it. */
  options?: { readonly isOneStatement: boolean },
) => Promise<IdempotentResult<Value, Reason>>;

const FIND = `${selectFrom(SAVED_RESPONSES)} WHERE key_id = $1 AND idempotency_key = $2`;
const SAVE = `${insertInto(SAVED_RESPONSES, SAVED_RESPONSES.columns, POSTGRES.placeholder)} ${orReplace(SAVED_RESPONSES)}`;

export const idempotency = (pool: Pool): WithIdempotency =>
  async function withIdempotency<Value, Reason>(
    key: IdempotencyKey | undefined,
    write: (sql: Sql | Transaction) => Promise<Result<Value, Reason>>,
    { isOneStatement } = { isOneStatement: false },
  ): Promise<IdempotentResult<Value, Reason>> {
    if (!key) return isOneStatement ? pool.write(write) : pool.transact(write);
    return pool.transact(async (tx): Promise<IdempotentResult<Value, Reason>> => {
      // Concurrent copies wait here, and find the response of the first when it is their turn.
      await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`${key.keyId} ${key.value}`}, 0))`;
      const [row] = await run<Row>(tx, FIND, [key.keyId, key.value]);
      const replay = row && replayOf(savedResponseOf<Value>(row), key);
      if (replay) return replay;
      const result = await write(tx);
      if (result.kind === "done") await run(tx, SAVE, savedResponseValues(key, { kind: "value", value: result.value }));
      return result;
    });
  };

export const deleteSavedResponses =
  (pool: Pool): Store["deleteSavedResponses"] =>
  async ({ savedAtMs }) => {
    const { count } = await pool.write(
      (sql) => sql`DELETE FROM saved_responses WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM saved_responses WHERE saved_at <= ${savedAtMs} LIMIT ${DELETE_BATCH_SIZE} FOR UPDATE SKIP LOCKED))`,
    );
    return count === DELETE_BATCH_SIZE;
  };
