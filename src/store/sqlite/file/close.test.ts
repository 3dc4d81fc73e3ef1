import { expect, test } from "bun:test";
import { renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { closeWithoutCheckpoint } from "./close.ts";
import { openForWriting, openShared } from "./database.ts";

async function written() {
  const path = join(temporaryFolder(), "store.db");
  (await openShared(path)).close(true);
  const db = openForWriting(path);
  db.run("INSERT INTO animals (name, category_id, status) VALUES ('Rex', 1, 'available')");
  const logBytes = () => statSync(`${path}-wal`).size;
  expect(logBytes()).toBeGreaterThan(0);
  return { path, db, logBytes };
}

test("a connection is closed, and the log stays as it is", async () => {
  const { path, db, logBytes } = await written();
  const before = logBytes();
  expect(closeWithoutCheckpoint(path, db)).toBe(true);
  expect(logBytes()).toBe(before);
  expect(() => db.query("SELECT 1 AS one")).toThrow();
});

test("also if the file is not there any more", async () => {
  const { path, db, logBytes } = await written();
  const before = logBytes();
  renameSync(path, `${path}.away`);
  expect(closeWithoutCheckpoint(path, db)).toBe(true);
  expect(logBytes()).toBe(before);
});

test("where nothing else can hold the database open, the connection stays open", async () => {
  const { db, logBytes } = await written();
  const before = logBytes();
  const unreadable = join(temporaryFolder(), "unreadable.db");
  writeFileSync(unreadable, "not a database ".repeat(100));
  expect(closeWithoutCheckpoint(unreadable, db)).toBe(false);
  expect(db.query("SELECT name FROM animals").values()).toEqual([["Rex"]]);
  expect(logBytes()).toBe(before);
});
