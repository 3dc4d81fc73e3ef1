import type { Database } from "bun:sqlite";
import type { IdempotencyKey } from "../../domain/idempotency.ts";
import { transact } from "./attempt.ts";
import { carryOut, type WriteInput, type WriteName, type WriteResult, type Writes } from "./writer.ts";
import { prepareWriter } from "./writes/prepare.ts";

/** Writes on a connection that may wait for locks: for a command, which has nothing else to do meanwhile. */
export function directWrites(db: Database): Writes {
  const writer = prepareWriter(db);
  return {
    async perform<Name extends WriteName>(name: Name, input: WriteInput<Name>, idempotencyKey?: IdempotencyKey) {
      return transact(db, () => carryOut(writer, [name, input, idempotencyKey])) as WriteResult<Name>;
    },
  };
}
