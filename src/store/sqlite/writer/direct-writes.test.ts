import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { SIGNED } from "../../../../test/harness/rows/author.ts";
import { openForCommand } from "../store.ts";
import { directWrites } from "./direct-writes.ts";

test("who waits for others in vain is told what was changed: nothing, or what batches before have done", async () => {
  const path = join(temporaryFolder(), "animals.db");
  await (await openForCommand(path, { create: true })).close();
  const [db, other] = [new Database(path, { safeIntegers: true }), new Database(path)];
  const writes = directWrites(db);
  const failureOf = (write: Promise<unknown>) => write.catch((error: Error) => `${error.name}: ${error.message}`);
  const busy = "OperatorError: another process is writing to the database, such as a copy";
  const request = { ...SIGNED, importId: 9n };
  // It begins with a longer patience than a test has.
  await failureOf(writes.perform("imports.undoSome", request));
  db.run("PRAGMA busy_timeout = 0");
  other.run("BEGIN IMMEDIATE");
  expect(await failureOf(writes.perform("imports.undoSome", request))).toBe(
    `${busy}: what was done so far is kept; try again when it is done`,
  );
  expect(await failureOf(writes.perform("imports.beginUndo", request))).toBe(
    `${busy}: nothing was changed; try again when it is done`,
  );
  other.close();
  db.close();
});
