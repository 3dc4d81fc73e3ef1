import type { Database } from "bun:sqlite";
import { lazy } from "../../../base/lazy.ts";
import { OperatorError } from "../../../base/operator-error.ts";
import type { IdempotencyKey } from "../../../domain/idempotency.ts";
import { isBusy, transact } from "../sql/attempt.ts";
import { carryOut, isBulk, prepareWriter } from "../tables/all-writes.ts";
import type { WriteInput, WriteName, WriteResult, Writes } from "../tables/write.ts";
import { raiseGeneration } from "../wal/generation.ts";
import { bulkWriting } from "./bulk-writing.ts";

/** Writes on a connection that may wait for locks: for a command, which has nothing else to do meanwhile. */
export function directWrites(db: Database): Writes {
  const writer = prepareWriter(db);
  const bulk = lazy(() => bulkWriting(db));
  return {
    async perform<Name extends WriteName>(name: Name, input: WriteInput<Name>, idempotencyKey?: IdempotencyKey) {
      try {
        if (isBulk(name)) bulk();
        const result = transact(db, () => {
          raiseGeneration(db);
          return carryOut(writer, [name, input, idempotencyKey]);
        }) as WriteResult<Name>;
        // Nobody else does, unless a service runs, and the log would grow without end.
        if (isBulk(name)) bulk().afterCommit();
        return result;
      } catch (error) {
        if (!isBusy((error as Error).cause)) throw error;
        throw new OperatorError(
          `another process is writing to the database, such as a copy: ${isBulk(name) ? "what was done so far is kept" : "nothing was changed"}; try again when it is done`,
        );
      }
    },
  };
}
