import type { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/service.ts";
import { openAlone } from "./database.ts";
import { versionByPragma, versionOf } from "./version.ts";

const folder = temporaryFolder();

const INSERT = "INSERT INTO animals (name, category_id, status) VALUES ('Rex', 7, 'sold')";

/** Runs statements on a file in a process of its own, as any program may. */
function elsewhere(path: string, ...statements: string[]): void {
  const script = `const db = new (await import("bun:sqlite")).Database(${JSON.stringify(path)});
    for (const sql of ${JSON.stringify(statements)}) db.run(sql); db.close();`;
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "-e", script]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
}

async function changesSeen(name: string, versionFor: (db: Database, path: string) => () => number) {
  const path = join(folder, name);
  const { db } = await openAlone(path, false);
  const { db: beside } = await openAlone(path, false);
  const version = versionFor(db, path);
  const changes = (work: () => void): boolean => {
    const before = version();
    work();
    const after = version();
    expect(version()).toBe(after);
    return before !== after;
  };
  const seen = {
    "a read": changes(() => void db.query("SELECT * FROM animals").all()),
    "a write beside": changes(() => void beside.run(INSERT)),
    "a write of another process": changes(() => elsewhere(path, INSERT)),
    "a write after a checkpoint": changes(() => elsewhere(path, "PRAGMA wal_checkpoint(TRUNCATE)", INSERT)),
    "many writes": changes(() => elsewhere(path, ...Array(50).fill(INSERT))),
  };
  beside.close();
  db.close();
  return seen;
}

const WRITES_ONLY = {
  "a read": false,
  "a write beside": true,
  "a write of another process": true,
  "a write after a checkpoint": true,
  "many writes": true,
};

test("the version changes with every commit, whoever makes it", async () => {
  expect(await changesSeen("index.db", versionOf)).toEqual(WRITES_ONLY);
});

test("so it does where the WAL index cannot be read", async () => {
  expect(await changesSeen("pragma.db", versionByPragma)).toEqual(WRITES_ONLY);
});

test.if(process.platform === "linux")("asking for it lets go of no lock that SQLite holds", async () => {
  const path = join(folder, "locks.db");
  const { db } = await openAlone(path, false);
  const { ino } = statSync(`${path}-shm`);
  const locks = () =>
    readFileSync("/proc/locks", "utf8")
      .split("\n")
      .filter((line) => line.includes(`:${ino} `) && line.includes(` ${process.pid} `)).length;
  const before = locks();
  expect(before).toBeGreaterThan(0);
  versionOf(db, path)();
  expect(locks()).toBe(before);
  db.close();
});

test("no commit goes unseen, and no two look alike", async () => {
  const path = join(folder, "each.db");
  const { db } = await openAlone(path, false);
  const version = versionOf(db, path);
  const versions = Array.from({ length: 3_000 }, () => {
    db.run(INSERT);
    return version();
  });
  expect(new Set(versions).size).toBe(3_000);
  db.close();
});
