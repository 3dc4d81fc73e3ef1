import { expect, test } from "bun:test";
import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { closeNow } from "../file/close.ts";
import { LOCK_TIMEOUTS, openShared } from "../file/database.ts";
import { identifyFiles } from "../file/identity.ts";
import { WriterConnection } from "./connection.ts";

test("a database that is opened again has its log written again: a command may have failed to since", async () => {
  const path = join(temporaryFolder(), "store.db");
  closeNow(await openShared(path));
  const settings = {
    files: identifyFiles(path, path, undefined),
    timeouts: LOCK_TIMEOUTS,
    noteTarget: undefined,
    isTrusted: true,
  };
  const connection = new WriterConnection(settings, { distrust: () => undefined, onSyncFailure: () => {} });
  const animal = { name: "Rex", categoryId: 1n, status: "available" };
  connection.write([["animals.create", animal, undefined]], performance.now());
  connection.secureLog();
  utimesSync(`${path}-wal`, 0, 0);
  connection.reopen();
  expect(statSync(`${path}-wal`).mtimeMs).toBeGreaterThan(0);
  connection.close();
});
