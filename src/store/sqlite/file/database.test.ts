import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { APPLICATION_ID, openShared } from "./database.ts";

/** A new file that another process has just claimed, and has locked in order to give it a log. */
function claimedFile() {
  const path = join(temporaryFolder(), "store.db");
  const other = new Database(path, { create: true });
  other.run(`PRAGMA application_id = ${APPLICATION_ID}`);
  other.run("BEGIN IMMEDIATE");
  return { path, other };
}

const journalMode = (db: Database) => db.query("PRAGMA journal_mode").get();

test("of processes that open a new file at once, one waits until another has given it a log", async () => {
  const { path, other } = claimedFile();
  using pauses = spyOn(Bun, "sleepSync").mockImplementation(() => {
    other.run("COMMIT");
    other.run("PRAGMA journal_mode = WAL");
  });
  using db = await openShared(path);
  expect(pauses).toHaveBeenCalledTimes(1);
  expect(journalMode(db)).toEqual({ journal_mode: "wal" });
  other.close();
});

test("a new file that another process keeps locked is given up, and the failure names the lock", async () => {
  const { path, other } = claimedFile();
  await expect(openShared(path, undefined, { openMs: 0, servingMs: 0, writeMs: 0 })).rejects.toThrow(
    "database is locked",
  );
  other.close();
});
