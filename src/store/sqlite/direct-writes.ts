import type { Database } from "bun:sqlite";
import type { IdempotencyKey } from "../../domain/idempotency.ts";
import { OperatorError } from "../../domain/operator-error.ts";
import { codeOf, transact } from "./attempt.ts";
import { raiseGeneration } from "./generation.ts";
import { carryOut, type WriteInput, type WriteName, type WriteResult, type Writes } from "./writer.ts";
import { prepareWriter } from "./writes/prepare.ts";

/** Writes on a connection that may wait for locks: for a command, which has nothing else to do meanwhile. */
export function directWrites(db: Database): Writes {
  const writer = prepareWriter(db);
  return {
    async perform<Name extends WriteName>(name: Name, input: WriteInput<Name>, idempotencyKey?: IdempotencyKey) {
      try {
        return transact(db, () => {
          raiseGeneration(db);
          return carryOut(writer, [name, input, idempotencyKey]);
        }) as WriteResult<Name>;
      } catch (error) {
        if (!codeOf((error as Error).cause).startsWith("SQLITE_BUSY")) throw error;
        throw new OperatorError(
          "another process is writing to the database, such as animal-store copy: nothing was changed; try again when it is done",
        );
      }
    },
  };
}
