import type { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { openForWriting, openShared } from "./database.ts";
import { groupCommit } from "./group-commit.ts";
import { type CommitNote, followVersion, newCommitNote, noteCommits, versionByPragma } from "./version.ts";
import { mapWalIndex, walIndexAt } from "./wal-index.ts";
import type { Write } from "./writer.ts";

const folder = temporaryFolder();

const INSERT = "INSERT INTO animals (name, category_id, status) VALUES ('Rex', 7, 'sold')";

/** Runs statements on a file in another process, as any program may. */
function elsewhere(path: string, ...statements: string[]): void {
  const script = `const db = new (await import("bun:sqlite")).Database(${JSON.stringify(path)});
    for (const sql of ${JSON.stringify(statements)}) db.run(sql); db.close();`;
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "-e", script]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
}

function headOf(path: string): Uint32Array {
  const address = mapWalIndex(path);
  if (address === undefined) throw new Error("the WAL index cannot be mapped");
  return walIndexAt(address);
}

const versionOf = (path: string, note: CommitNote = newCommitNote()) => followVersion(headOf(path), note);

async function changesSeen(name: string, versionFor: (db: Database, path: string) => () => number | undefined) {
  const path = join(folder, name);
  const db = await openShared(path);
  const beside = await openShared(path);
  const version = versionFor(db, path);
  const changes = (work: () => void): boolean => {
    const before = version();
    work();
    const after = version();
    expect(version()).toBe(after as number);
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

describe("the version", () => {
  test("changes with every commit, by any process", async () => {
    expect(await changesSeen("index.db", (_, path) => versionOf(path))).toEqual(WRITES_ONLY);
  });

  test("does so even where the WAL index cannot be mapped", async () => {
    expect(mapWalIndex(join(folder, "none.db"))).toBeUndefined();
    expect(await changesSeen("pragma.db", versionByPragma)).toEqual(WRITES_ONLY);
  });

  test.if(process.platform === "linux")("is read without releasing any lock that SQLite holds", async () => {
    const path = join(folder, "locks.db");
    const db = await openShared(path);
    const { ino } = statSync(`${path}-shm`);
    const locks = () =>
      readFileSync("/proc/locks", "utf8")
        .split("\n")
        .filter((line) => line.includes(`:${ino} `) && line.includes(` ${process.pid} `)).length;
    const before = locks();
    expect(before).toBeGreaterThan(0);
    versionOf(path)();
    expect(locks()).toBe(before);
    db.close();
  });

  test("misses no commit, and is never the same after two", async () => {
    const path = join(folder, "each.db");
    const db = await openShared(path);
    const version = versionOf(path);
    const versions = Array.from({ length: 3_000 }, () => {
      db.run(INSERT);
      return version();
    });
    expect(new Set(versions).size).toBe(3_000);
    db.close();
  });
});

const CREATE: Write = ["createAnimal", { name: "Rex", categoryId: 7n, status: "sold" }, undefined];
const REVOKE: Write = ["revokeKey", { keyId: "key_unknown", atMs: 0 }, undefined];
const FAIL: Write = ["rotateKey", { keyId: "key_unknown", digest: "d", atMs: 0, oldSecretsExpireAtMs: 0 }, undefined];

/** A connection that notes its bookkeeping, another that does not, and the version. */
async function writingTo(name: string) {
  const path = join(folder, name);
  const other = await openShared(path);
  const db = openForWriting(path);
  const note = newCommitNote();
  const bookkeeping = noteCommits(headOf(path), note);
  const write = groupCommit(db, { bookkeeping });
  const version = versionOf(path, note);
  const close = () => {
    db.close();
    other.close();
  };
  return { path, other, db, note, bookkeeping, write, version, close };
}

describe("a commit that changes no animal and no order", () => {
  test("leaves the version alone, and any other commit changes it, however they follow each other", async () => {
    const { path, other, write, version, close } = await writingTo("random.db");
    const actions = {
      bookkeeping: () => void write([REVOKE]),
      "two at once": () => void write([REVOKE, REVOKE]),
      "bookkeeping that fails": () => void write([FAIL]),
      "bookkeeping that changes nothing": () => void write([["deleteSavedResponses", { savedAtMs: 0 }, undefined]]),
      creation: () => void write([CREATE]),
      "creation with bookkeeping": () => void write([REVOKE, CREATE]),
      "bookkeeping of others": () => void other.run("UPDATE key_revision SET revision = revision + 1"),
      "change by others": () => void other.run("UPDATE animals SET category_id = category_id + 1"),
      "creation by others": () => void other.run(INSERT),
      checkpoint: () => void other.run("PRAGMA wal_checkpoint(TRUNCATE)"),
    };
    const changing: readonly string[] = [
      "creation",
      "creation with bookkeeping",
      "bookkeeping of others",
      "change by others",
      "creation by others",
    ];
    /** These may change the version without need: the log begins again. */
    const uncertain = ["checkpoint"];
    /** Of several between two looks only the latest is noted. */
    const noted = ["bookkeeping", "two at once", "bookkeeping that changes nothing"];
    const bookkeepingIn = (steps: readonly string[]) => steps.filter((action) => noted.includes(action)).length;
    other.run(INSERT);
    const steps = fc.array(fc.constantFrom(...(Object.keys(actions) as (keyof typeof actions)[]), "look" as const), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(steps, (steps) => {
        let last = version();
        let since: string[] = [];
        for (const step of [...steps, "look" as const]) {
          if (step !== "look") {
            actions[step]();
            since.push(step);
            continue;
          }
          const current = version();
          if (since.some((action) => changing.includes(action))) expect(current).not.toBe(last as number);
          else if (!since.some((action) => uncertain.includes(action)) && bookkeepingIn(since) <= 1)
            expect(current).toBe(last as number);
          [last, since] = [current, []];
        }
      }),
      { numRuns: 300 },
    );
    elsewhere(path, INSERT);
    close();
  });

  test("gives no version for the moment in which it can be seen and is not noted yet", async () => {
    const { db, bookkeeping, version, close } = await writingTo("pending.db");
    const before = version();
    db.run("BEGIN IMMEDIATE");
    db.run("UPDATE key_revision SET revision = revision + 1");
    bookkeeping(() => {
      expect(version()).toBe(before as number);
      db.run("COMMIT");
      expect(version()).toBeUndefined();
    });
    expect(version()).toBe(before as number);
    close();
  });

  test("changes the version when somebody else commits before it is noted", async () => {
    const { db, other, bookkeeping, version, close } = await writingTo("overtaken.db");
    const before = version();
    db.run("BEGIN IMMEDIATE");
    db.run("UPDATE key_revision SET revision = revision + 1");
    bookkeeping(() => {
      db.run("COMMIT");
      other.run(INSERT);
    });
    expect(version()).not.toBe(before as number);
    expect(version()).toBeDefined();
    close();
  });

  test("is not mistaken for the commit of another when it fails and has released its lock already", async () => {
    const { db, other, bookkeeping, version, close } = await writingTo("failed.db");
    const before = version();
    db.run("BEGIN IMMEDIATE");
    const fail = () =>
      bookkeeping(() => {
        db.run("ROLLBACK");
        other.run(INSERT);
        // Nobody knows yet.
        expect(version()).toBeUndefined();
        throw new Error("the disk is full");
      });
    expect(fail).toThrow("the disk is full");
    expect(version()).not.toBe(before as number);
    close();
  });

  test("is forgotten by the next writer", async () => {
    const { path, other, write, note, version, close } = await writingTo("next.db");
    const before = version();
    write([REVOKE]);
    noteCommits(headOf(path), note);
    expect(version()).not.toBe(before as number);
    const after = version();
    other.run(INSERT);
    expect(version()).not.toBe(after as number);
    close();
  });
});
