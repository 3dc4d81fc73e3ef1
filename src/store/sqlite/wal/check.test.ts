import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { OperatorError } from "../../../base/operator-error.ts";
import { backupSqlite } from "../backup/backup.ts";
import { openForWriting, openLocked, openShared, preparePath } from "../file/database.ts";
import { setBusyTimeout } from "../sql/pragmas.ts";
import { openForCommand } from "../store.ts";
import { checkpointsOf } from "../writer/checkpoints.ts";
import { groupCommit, type WriteTogether } from "../writer/group-commit.ts";
import { objectionToWal } from "./check.ts";
import { raiseBeforeCheckpoint } from "./generation.ts";
import { followCheckpoints, mapWalIndex, walIndexAt } from "./index.ts";

interface Writing {
  readonly path: string;
  readonly db: Database;
  readonly write: WriteTogether;
}

/** A new store and a connection that writes to it as the writer thread does. */
async function openWriting(): Promise<Writing> {
  const path = join(temporaryFolder(), "store.db");
  await preparePath(path, { create: true });
  (await openShared(path)).close();
  const db = openForWriting(path);
  db.query("SELECT 1 FROM animals").get();
  const head = walIndexAt(mapWalIndex(path) as number);
  const write = groupCommit(db, {
    noteCommit: (_, transaction) => transaction(),
    wasCheckpointed: followCheckpoints(head),
  });
  return { path, db, write };
}

const addAnimal = ({ write }: Writing, name = "Rex") =>
  write([["animals.create", { name, categoryId: 1n, status: "available" }, undefined]]);

/** A checkpoint as the writer makes it. */
function checkpoint({ db }: Writing, mode = "PASSIVE"): void {
  if (raiseBeforeCheckpoint(db, (_, transaction) => transaction())) db.run(`PRAGMA wal_checkpoint(${mode})`);
}

/** The files as a kill would leave them now. */
function snapshot({ path }: Writing, to: string): void {
  copyFileSync(path, to);
  copyFileSync(`${path}-wal`, `${to}-wal`);
}

/** Everything that a file and the log beside it hold; undefined if SQLite finds them to be broken. */
function contentsOf(path: string): string | undefined {
  const copy = join(temporaryFolder(), "contents.db");
  copyFileSync(path, copy);
  copyFileSync(`${path}-wal`, `${copy}-wal`);
  const db = new Database(copy);
  try {
    const { integrity_check } = db.query("PRAGMA integrity_check").get() as { integrity_check: string };
    return integrity_check === "ok" ? JSON.stringify(db.query("SELECT id, name FROM animals").all()) : undefined;
  } catch {
    return undefined;
  } finally {
    db.close();
  }
}

const bytesOf = (path: string): string[] =>
  ["", "-wal"].map((suffix) => (existsSync(path + suffix) ? readFileSync(path + suffix).toString("hex") : "none"));

async function expectRefusal(path: string, reason: string): Promise<void> {
  const before = bytesOf(path);
  for (const open of [
    () => preparePath(path, { create: true }),
    () => openForCommand(path, { create: false }),
    () => backupSqlite(path, join(temporaryFolder(), "backup.db")),
  ]) {
    const error = await open().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(OperatorError);
    expect((error as Error).message).toContain(`${path}-wal does not belong to ${path} (${reason}`);
    expect((error as OperatorError).remedy).toEqual({ kind: "replace_foreign_log", path });
  }
  expect(bytesOf(path)).toEqual(before);
}

test("where the WAL index cannot be mapped, every commit raises the generation", async () => {
  const { db } = await openWriting();
  const write = groupCommit(db, { noteCommit: (_, transaction) => transaction() });
  const generation = () => Number(Object.values(db.query("PRAGMA user_version").get() as object)[0]);
  const before = generation();
  for (let i = 0; i < 3; i++) write([["maintenance.deleteSavedResponses", { savedAtMs: 0 }, undefined]]);
  expect(generation()).toBe(before + 3);
  db.close();
});

describe("a log that was written for another file is refused before anything is written", () => {
  test("beside a backup that was restored over the file", async () => {
    const writing = await openWriting();
    addAnimal(writing);
    const backup = join(temporaryFolder(), "backup.db");
    await backupSqlite(writing.path, backup);
    addAnimal(writing);
    const crashed = join(temporaryFolder(), "crashed.db");
    snapshot(writing, crashed);
    copyFileSync(backup, crashed);
    await expectRefusal(crashed, "the database file is a backup that has not been used yet");
    rmSync(`${crashed}-wal`);
    (await openLocked(crashed)).db.close();
  });

  test("beside an older copy of the same file", async () => {
    const writing = await openWriting();
    const crashed = join(temporaryFolder(), "crashed.db");
    addAnimal(writing);
    checkpoint(writing);
    copyFileSync(writing.path, crashed);
    for (let i = 0; i < 2; i++) {
      addAnimal(writing);
      checkpoint(writing);
    }
    addAnimal(writing);
    copyFileSync(`${writing.path}-wal`, `${crashed}-wal`);
    await expectRefusal(crashed, "the file is of generation");
  });

  test("beside a newer copy of the same file, made after a checkpoint of what the log lacks", async () => {
    const writing = await openWriting();
    checkpoint(writing);
    addAnimal(writing);
    const copied = join(temporaryFolder(), "copied.db");
    copyFileSync(`${writing.path}-wal`, `${copied}-wal`);
    for (let i = 0; i < 50; i++) addAnimal(writing, `${i}`.repeat(100));
    checkpoint(writing);
    copyFileSync(writing.path, copied);
    await expectRefusal(copied, "the file is of generation");
  });

  test("beside the file of another store", async () => {
    const [one, other] = [await openWriting(), await openWriting()];
    const crashed = join(temporaryFolder(), "crashed.db");
    for (const writing of [one, other]) {
      addAnimal(writing);
      checkpoint(writing);
      addAnimal(writing);
    }
    copyFileSync(one.path, crashed);
    copyFileSync(`${other.path}-wal`, `${crashed}-wal`);
    await expectRefusal(crashed, "the file is of generation");
  });

  test("beside no file at all, which would delete the log", async () => {
    const writing = await openWriting();
    addAnimal(writing);
    const crashed = join(temporaryFolder(), "crashed.db");
    snapshot(writing, crashed);
    renameSync(crashed, `${crashed}.moved`);
    await expectRefusal(crashed, "the log has changes in it, and the database file is missing or empty");
  });
});

/** Numbers from 0 up to a limit, the same in each run. */
function sequence(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test("while another process is writing, no checkpoint is made, because the generation cannot be raised before it", async () => {
  const writing = await openWriting();
  setBusyTimeout(writing.db, 0);
  const { run } = checkpointsOf(writing.db, () => raiseBeforeCheckpoint(writing.db, (_, transaction) => transaction()));
  run();
  addAnimal(writing);
  const before = readFileSync(writing.path);
  using command = new Database(writing.path);
  command.run("BEGIN IMMEDIATE");
  run();
  expect(readFileSync(writing.path).equals(before)).toBe(true);
  command.run("ROLLBACK");
  run();
  expect(readFileSync(writing.path).equals(before)).toBe(false);
});

test("whatever was written and checkpointed, a log that belongs is accepted, and no accepted pair is broken", async () => {
  let refused = 0;
  for (let seed = 1; seed <= 4; seed++) {
    const random = sequence(seed);
    // A partial checkpoint beside a reader may leave the raised generation in the log.
    const hasReader = seed <= 2;
    const writing = await openWriting();
    const reader = new Database(writing.path);
    const folder = temporaryFolder();
    const contents: (string | undefined)[] = [];
    for (let i = 0; i < 12; i++) {
      for (let steps = random(6); steps >= 0; steps--)
        [
          () => addAnimal(writing, `${i} ${steps}`.repeat(200)),
          () => addAnimal(writing),
          () => {
            checkpoint(writing);
            addAnimal(writing);
          },
          // A reader that stays keeps a checkpoint from being complete, and a log from being begun anew.
          () => hasReader && reader.run(reader.inTransaction ? "COMMIT" : "BEGIN"),
          () => reader.query("SELECT count(*) FROM animals").get(),
          () => !reader.inTransaction && checkpoint(writing, "TRUNCATE"),
        ][random(6)]?.();
      snapshot(writing, join(folder, `${i}.db`));
      contents.push(contentsOf(join(folder, `${i}.db`)));
    }
    for (const [file] of contents.entries())
      for (const [log, content] of contents.entries()) {
        const pair = join(folder, "pair.db");
        copyFileSync(join(folder, `${file}.db`), pair);
        copyFileSync(join(folder, `${log}.db-wal`), `${pair}-wal`);
        const objection = objectionToWal(pair);
        if (file === log) expect([seed, file, objection]).toEqual([seed, file, undefined]);
        if (objection !== undefined) refused++;
        // An older file is as good as the one that belongs if the log holds all that it lacks. A newer one is, if no
        // checkpoint has written to it since.
        else if ((file < log || !hasReader) && readFileSync(`${pair}-wal`).length > 0)
          expect([seed, file, log, contentsOf(pair) === content]).toEqual([seed, file, log, true]);
      }
    reader.close();
    writing.db.close();
  }
  expect(refused).toBeGreaterThan(20);
});

test("torn, foreign and missing ends of a log are left to SQLite, which ignores them", async () => {
  const writing = await openWriting();
  for (let i = 0; i < 5; i++) addAnimal(writing);
  const path = join(temporaryFolder(), "torn.db");
  snapshot(writing, path);
  const whole = readFileSync(`${path}-wal`);
  for (let length = 0; length < whole.length; length += 977) {
    await Bun.write(`${path}-wal`, whole.subarray(0, length));
    expect([length, objectionToWal(path)]).toEqual([length, undefined]);
    const torn = Buffer.from(whole);
    torn.fill(0, length);
    await Bun.write(`${path}-wal`, torn);
    expect([length, objectionToWal(path)]).toEqual([length, undefined]);
  }
});
