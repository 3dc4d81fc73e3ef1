import { done, type Result, refused } from "../../../base/result.ts";
import { type IdempotencyKey, type IdempotentResult, replayOf } from "../../../domain/idempotency.ts";
import { StoreUnavailable } from "../../ports/store.ts";
import { SAVED_RESPONSES, savedResponseOf, savedResponseValues } from "../../sql/rows.ts";
import { encodeSavedContent } from "../../sql/saved-content.ts";
import { insertInto, type Row, selectFrom } from "../../sql/table.ts";
import type { Work } from "../../sql/work.ts";
import type { Connection } from "../connections/connection.ts";
import { POSTGRES } from "../connections/dialect.ts";
import { IN_THE_WAY, isDuplicate } from "../connections/sql-state.ts";
import { perform } from "../connections/work.ts";
import type { Pool } from "../database.ts";

export interface Write<Value, Reason> {
  /**
   * One transaction that carries it out and, if there is an idempotency key, saves the response with it. Undefined:
   * nothing was changed, because it is refused, or because a response is saved under the idempotency key.
   */
  readonly attempt: () => Promise<Value | undefined>;
  /** Finds out why the write is refused, if it is. Without it, the write is never refused. */
  readonly findRefusal?: () => Promise<Reason | undefined>;
}

const FIND = `${selectFrom(SAVED_RESPONSES)} WHERE key_id = $1 AND idempotency_key = $2`;

const MAX_ATTEMPTS = 10;
/** No further attempt begins after this time, since its statements may each take as long as the pool allows. */
const MAX_ATTEMPTS_MS = 1_500;

/**
 * Carries out a write; a retry gets the response that was saved with the first request. Every attempt is a transaction by
 * itself, and the primary key of saved_responses makes the write happen once: of attempts with one idempotency key, the
 * first to commit wins, and the others change nothing.
 */
export async function carryOut<Value, Reason = never>(
  pool: Pool,
  { attempt, findRefusal }: Write<Value, Reason>,
  key: IdempotencyKey | undefined,
): Promise<IdempotentResult<Value, Reason>> {
  const endMs = performance.now() + MAX_ATTEMPTS_MS;
  for (let i = 0; i < MAX_ATTEMPTS && performance.now() < endMs; i++) {
    const value = await attempt();
    if (value !== undefined) return done(value);
    // Refusals are looked for before the saved response: a copy of this request may be what refuses it.
    const reason = await findRefusal?.();
    const [row] = key ? await pool.read<Row>(FIND, [key.keyId, key.value]) : [];
    const replay = key && row && replayOf(savedResponseOf<Value>(row), key);
    if (replay) return replay;
    if (reason !== undefined) return refused(reason);
    // The obstacle is gone: try again.
  }
  throw new StoreUnavailable(IN_THE_WAY);
}

export const SAVE = `${insertInto(SAVED_RESPONSES, SAVED_RESPONSES.columns, POSTGRES.placeholder)}
  ON CONFLICT DO NOTHING RETURNING 1`;

/** Thrown to roll back a transaction that must change nothing: then even a lost answer leaves no doubt. */
const NOT_DONE = new Error("nothing is to be changed");

/**
 * Performs work in one transaction, once per idempotency key. It locks what it is about before it decides, and is undone
 * if it refuses, or if somebody else has taken something that must be unique since it looked: then it decides again.
 * The response is saved last: locks on idempotency keys come after all others, so no two can wait for each other.
 */
function transactOnce<Value extends object, Reason>(
  pool: Pool,
  key: IdempotencyKey | undefined,
  work: () => Work<Result<Value, Reason>>,
): Promise<IdempotentResult<Value, Reason>> {
  let reason: Reason | undefined;

  const attempt = async (tx: Connection): Promise<Value> => {
    const result = await perform(tx.run, work());
    reason = result.kind === "refused" ? result.reason : undefined;
    if (result.kind === "refused" || (key && !(await save(tx, key, result.value)))) throw NOT_DONE;
    return result.value;
  };
  return carryOut<Value, Reason>(
    pool,
    { attempt: () => pool.transact(attempt).catch(unlessNotDone), findRefusal: async () => reason },
    key,
  );
}

type OnceMethods = Readonly<Record<string, (input: never) => Work<Result<object, unknown>>>>;

type PerformedOnce<Of extends OnceMethods> = {
  readonly [Name in keyof Of]: Of[Name] extends (input: infer Input) => Work<Result<infer Value, infer Reason>>
    ? (input: Input, key?: IdempotencyKey) => Promise<IdempotentResult<Value, Reason>>
    : never;
};

/** Methods that are each one transaction, once per idempotency key. */
export function transactingOnce<Of extends OnceMethods>(pool: Pool, methods: Of): PerformedOnce<Of> {
  const performed = Object.entries(methods).map(([name, method]) => [
    name,
    (input: never, key?: IdempotencyKey) => transactOnce(pool, key, () => method(input)),
  ]);
  return Object.fromEntries(performed) as PerformedOnce<Of>;
}

/** Returns false if a response is saved under this key already. */
async function save(tx: Connection, key: IdempotencyKey, value: object): Promise<boolean> {
  const content = encodeSavedContent({ kind: "value", value });
  return (await tx.run(SAVE, savedResponseValues(key, content))).length > 0;
}

function unlessNotDone(error: unknown): undefined {
  if (error !== NOT_DONE && !isDuplicate(error)) throw error;
}
