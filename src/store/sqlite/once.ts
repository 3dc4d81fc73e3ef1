import type { Database } from "bun:sqlite";
import { judgeRepeat, type Once, type Written } from "../../domain/once.ts";
import { onceRecordOf, type Row, SWEEP_MAX_ROWS } from "../rows.ts";
import type { AnswerTo, Store } from "../store.ts";
import { attempt, patiently, type Transact } from "./database.ts";

/**
 * Runs a write in a transaction of its own. With `once`, the record of it is in the same
 * transaction, and a repetition gets the first answer instead.
 */
export type WriteOnce = <Result>(
  once: Once | undefined,
  write: () => Result,
  answerTo: AnswerTo<Result> | undefined,
) => Promise<Written<Result>>;

export function sqliteOnce(db: Database, transact: Transact): { writeOnce: WriteOnce; sweep: Store["sweep"] } {
  const find = db.prepare<Row, [string, string]>("SELECT * FROM answers WHERE key_id = ? AND token = ?");
  const keep = db.prepare(
    "INSERT OR REPLACE INTO answers (key_id, token, fingerprint, answered_at, status, body, location) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const forget = db.prepare(
    "DELETE FROM answers WHERE (key_id, token) IN (SELECT key_id, token FROM answers WHERE answered_at <= ? LIMIT ?)",
  );

  const repeatOf = (once: Once | undefined) =>
    once && judgeRepeat(onceRecordOf(find.get(once.keyId, once.token)), once);

  const writeOnce: WriteOnce = async <Result>(
    once: Once | undefined,
    write: () => Result,
    answerTo: AnswerTo<Result> | undefined,
  ) =>
    // What was answered before needs no lock; what was not is looked up again under it.
    attempt(() => repeatOf(once)) ??
    transact((): Written<Result> => {
      const repeat = repeatOf(once);
      if (repeat) return repeat;
      const result = write();
      const answer = once && answerTo?.(result);
      if (answer)
        keep.run(once.keyId, once.token, once.fingerprint, once.nowMs, answer.status, answer.body, answer.location);
      return { kind: "done", result };
    });

  return {
    writeOnce,
    sweep: async (answeredUntilMs) => {
      const { changes } = await patiently(() => forget.run(answeredUntilMs, SWEEP_MAX_ROWS));
      return Number(changes) === SWEEP_MAX_ROWS;
    },
  };
}
