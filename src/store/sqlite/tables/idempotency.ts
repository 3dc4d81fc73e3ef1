import type { Database } from "bun:sqlite";
import type { Result } from "../../../base/result.ts";
import { type IdempotencyKey, type IdempotentResult, replayOf } from "../../../domain/idempotency.ts";
import { SAVED_RESPONSES, savedResponseOf, savedResponseValues } from "../../sql/rows.ts";
import { encodeSavedContent } from "../../sql/saved-content.ts";
import { insertInto, type Row, selectFrom } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import type { WriteInput, WriteName, WriteResult, Writes } from "./write.ts";

/**
 * Makes a write retriable: a retry gets the response that was saved with the first request. To be called within the
 * transaction of the write.
 */
export function idempotency(db: Database) {
  const findReplay = replayFinder(db);
  const save = prepared(db, insertInto(SAVED_RESPONSES, SAVED_RESPONSES.columns, SQLITE.placeholder));
  return function withIdempotency<Value, Reason>(
    key: IdempotencyKey | undefined,
    write: () => Result<Value, Reason>,
    /** Returns the value to save. */
    saved: (value: Value) => unknown,
  ): IdempotentResult<Value, Reason> {
    if (!key) return write();
    const replay = findReplay<Value>(key);
    if (replay) return replay;
    const result = write();
    if (result.kind === "done") {
      const content = encodeSavedContent({ kind: "value", value: saved(result.value) });
      save().run(...savedResponseValues(key, content));
    }
    return result;
  };
}

function replayFinder(connection: Connection) {
  const find = prepared<Row, [string, string]>(
    connection,
    `${selectFrom(SAVED_RESPONSES)} WHERE key_id = ? AND idempotency_key = ?`,
  );
  return <Value>(key: IdempotencyKey) => {
    const row = find().get(key.keyId, key.value);
    return row ? replayOf(savedResponseOf<Value>(row), key) : undefined;
  };
}

/**
 * Answers retries on the reading connection, so that they need neither a lock nor the disk. The writer looks again,
 * within its transaction. A replay acknowledges a write, so it is refused whenever a write would be.
 */
export function answerRetries(connection: Connection, writes: Writes, refuseIfReplaced: () => void): Writes {
  const findReplay = replayFinder(connection);
  const retried = async <Name extends WriteName>(name: Name, input: WriteInput<Name>, key: IdempotencyKey) => {
    const replay = attempt(() => findReplay(key)) as WriteResult<Name> | undefined;
    if (replay === undefined) return writes.perform(name, input, key);
    refuseIfReplaced();
    return replay;
  };
  return { perform: (name, input, key) => (key ? retried(name, input, key) : writes.perform(name, input)) };
}
