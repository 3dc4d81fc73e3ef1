import { expect, test } from "bun:test";
import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { openForCommand } from "../store.ts";
import { closeNow, closeWithoutCheckpoint } from "./close.ts";
import { openForWriting, openReadOnly, openShared } from "./database.ts";
import { closeOfCommand, secureLeftLog } from "./left-log.ts";
import { lockForServing } from "./serving-lock.ts";

const ADD = "INSERT INTO animals (name, category_id, status) VALUES ('Rex', 1, 'available')";

async function newStore() {
  const path = join(temporaryFolder(), "store.db");
  closeNow(await openShared(path));
  const log = `${path}-wal`;
  return { path, logBytes: () => statSync(log).size, log };
}

/** A connection that has written to the log. */
function written(path: string) {
  const db = openForWriting(path);
  db.run(ADD);
  return db;
}

test("the last command that uses a file makes a checkpoint", async () => {
  const { path, logBytes } = await newStore();
  const db = written(path);
  expect(logBytes()).toBeGreaterThan(0);
  closeOfCommand(db);
  expect(logBytes()).toBe(0);
});

test("beside a service, that is left to the service, even if it has no connection open at the moment", async () => {
  const { path, logBytes } = await newStore();
  const db = written(path);
  const before = logBytes();
  const { unlock } = lockForServing(path, 0);
  closeOfCommand(db);
  expect(logBytes()).toBe(before);
  unlock();
});

test("a checkpoint of which another process has made a part is not finished: its pages may not be on disk", async () => {
  const { path, logBytes } = await newStore();
  const db = written(path);
  const reader = openForWriting(path);
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM animals").get();
  db.run(ADD);
  const other = openForWriting(path);
  const { log, checkpointed } = other.query("PRAGMA wal_checkpoint(PASSIVE)").get() as Record<string, bigint>;
  expect([Number(checkpointed) > 0, Number(checkpointed) < Number(log)]).toEqual([true, true]);
  closeWithoutCheckpoint(path, reader);
  closeWithoutCheckpoint(path, other);
  const before = logBytes();
  closeOfCommand(db);
  expect(logBytes()).toBe(before);
  // The next process to open it begins with all of the log.
  closeOfCommand(openForWriting(path));
  expect(logBytes()).toBe(0);
});

test("a log that was left behind is written again before anything is added to it, unless a service runs", async () => {
  const { path, log } = await newStore();
  closeWithoutCheckpoint(path, written(path));
  const wasWritten = () => statSync(log).mtimeMs > 0;
  const openAndLeave = async () => {
    utimesSync(log, 0, 0);
    const store = await openForCommand(path, { create: false });
    const isWritten = wasWritten();
    await store.close();
    return isWritten;
  };
  const { unlock } = lockForServing(path, 0);
  expect(await openAndLeave()).toBe(false);
  unlock();
  expect(await openAndLeave()).toBe(true);
});

test("who can only read leaves it as it is", async () => {
  const { path, logBytes } = await newStore();
  closeWithoutCheckpoint(path, written(path));
  const before = logBytes();
  const reader = openReadOnly(path);
  secureLeftLog(reader);
  closeOfCommand(reader);
  expect(logBytes()).toBe(before);
});
