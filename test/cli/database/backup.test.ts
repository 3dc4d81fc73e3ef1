import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openForCommand } from "../../../src/store/sqlite/store.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { EXECUTABLE, issueBoundlessKey, run, withoutProgress } from "../../harness/program/program.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";

const BIG = 60_000;

/** A store with animals, in a folder of its own. */
async function filledStore(animals: number): Promise<string> {
  const cwd = temporaryFolder();
  await issueBoundlessKey({ cwd });
  const db = openDatabaseFile(join(cwd, "data/animal-store.db"));
  db.run(`INSERT INTO animals (name, category_id, status) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${animals})
    SELECT 'Animal ' || i, i, 'available' FROM n`);
  db.close();
  return cwd;
}

const big = await filledStore(BIG);
const backup = (file: string, cwd = big) => run(["backup", file], { cwd });

/** Starts a backup, and calls back as soon as its copy is being written. */
async function interrupt(
  file: string,
  signal: NodeJS.Signals,
): Promise<{ target: string; code: number | null; err: string }> {
  const target = join(temporaryFolder(), "target");
  mkdirSync(target);
  const child = Bun.spawn([EXECUTABLE, "backup", join(target, file)], { cwd: big, stdout: "ignore", stderr: "pipe" });
  const isWriting = () =>
    readdirSync(target).some((name) => statSync(join(target, name), { throwIfNoEntry: false })?.size);
  while (!isWriting()) await Bun.sleep(1);
  child.kill(signal);
  await child.exited;
  return { target, code: child.exitCode, err: withoutProgress(await new Response(child.stderr).text()) };
}

const animalsIn = (path: string): unknown => {
  const db = openDatabaseFile(path, { readonly: true });
  try {
    return db.query("SELECT count(*) AS count FROM animals").get();
  } finally {
    db.close();
  }
};

test("a backup is whole, checked and for its owner alone, and leaves nothing else behind", async () => {
  const target = temporaryFolder();
  const file = join(target, "copy.db");
  const { exitCode, out } = await backup(file);
  expect([exitCode, out]).toEqual([
    0,
    expect.stringMatching(/^Backed up to .*copy\.db \([\d,]+ bytes, checked\)\.\n$/),
  ]);
  expect(readdirSync(target)).toEqual(["copy.db"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(animalsIn(file)).toEqual({ count: BIG });
});

test("a backup of a store that is not served leaves its log there: a start on a full disk could not make one", async () => {
  const cwd = await filledStore(1);
  const file = join(cwd, "data/animal-store.db");
  await (await openForCommand(file, { create: false })).close();
  const filesOf = () => [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));
  expect(filesOf()).toHaveLength(3);
  expect((await backup(join(cwd, "copy.db"), cwd)).exitCode).toBe(0);
  expect(filesOf()).toHaveLength(3);
  expect(statSync(`${file}-wal`).size).toBe(0);
});

describe("a backup that is interrupted leaves no file under its name", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("and nothing else, by %s", async (signal) => {
    const { target, code, err } = await interrupt("copy.db", signal);
    expect([code, err]).toEqual([130, "animal-store: stopped: no backup was made\n"]);
    expect(readdirSync(target)).toEqual([]);
  });

  test("by kill -9, and the next backup removes what is left once that is old", async () => {
    const { target } = await interrupt("copy.db", "SIGKILL");
    const left = readdirSync(target);
    expect(left.filter((name) => !/^\.copy\.db\.\d+-[0-9a-f]{8}\.partial(-journal)?$/.test(name))).toEqual([]);
    expect(left.length).toBeGreaterThan(0);
    for (const name of left) expect(statSync(join(target, name)).mode & 0o777).toBe(0o600);
    expect((await backup(join(target, "second.db"))).exitCode).toBe(0);
    expect(readdirSync(target).sort()).toEqual([...left, "second.db"].sort());
    const longAgo = new Date(Date.now() - 120_000);
    for (const name of left) utimesSync(join(target, name), longAgo, longAgo);
    // Another process that is still running is writing this one, slowly.
    const slow = `.slow.db.${process.pid}-00000000.partial`;
    writeFileSync(join(target, slow), "");
    utimesSync(join(target, slow), longAgo, longAgo);
    expect((await backup(join(target, "third.db"))).exitCode).toBe(0);
    expect(readdirSync(target).sort()).toEqual([slow, "second.db", "third.db"]);
  });
});

describe("a backup that cannot be made says why, and leaves nothing behind", () => {
  test("when there is a file of that name", async () => {
    const file = join(temporaryFolder(), "copy.db");
    writeFileSync(file, "precious");
    expect((await backup(file)).err).toBe(`animal-store: ${file} already exists: choose another file name\n`);
    expect(await Bun.file(file).text()).toBe("precious");
  });

  test("when there is no such folder, or not one to write to", async () => {
    const folder = temporaryFolder();
    const missing = await backup(join(folder, "none/copy.db"));
    expect([missing.exitCode, missing.err]).toEqual([
      1,
      expect.stringContaining(`there is no folder ${join(folder, "none")}: create it first`),
    ]);
    writeFileSync(join(folder, "file"), "");
    expect((await backup(join(folder, "file/copy.db"))).exitCode).toBe(1);
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  test.skipIf(process.platform !== "linux")("when the folder may not be written to, not even by root", async () => {
    expect((await backup("/sys/copy.db")).err).toContain("you may not write to the folder /sys");
  });

  test.skipIf(!Bun.which("prlimit"))("when the disk is full", async () => {
    const target = temporaryFolder();
    const full = ["sh", "-c", 'trap "" XFSZ; exec prlimit --fsize=1000000 "$@"', "sh", EXECUTABLE];
    const { exitCode, err } = await run(["backup", join(target, "copy.db")], { cwd: big, program: full });
    expect([exitCode, err]).toEqual([
      1,
      expect.stringContaining(`cannot back up data/animal-store.db to ${target}/copy.db:`),
    ]);
    expect(readdirSync(target)).toEqual([]);
  });

  test("when there is no database, and then makes none", async () => {
    const cwd = temporaryFolder();
    expect((await backup(join(cwd, "copy.db"), cwd)).err).toContain(
      `there is no database at ${join(cwd, "data/animal-store.db")}`,
    );
    expect(existsSync(join(cwd, "data"))).toBe(false);
  });
});
