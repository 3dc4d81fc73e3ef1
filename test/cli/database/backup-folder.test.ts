import { describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../harness/folder.ts";
import { EXECUTABLE, issueBoundlessKey, type Outcome, run } from "../../harness/program/program.ts";
import { canMount, onSmallDisk } from "../../harness/program/small-disk.ts";
import { canTrace } from "../../harness/program/trace.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";

const NAME = /^animal-store-\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{8}\.db$/;

const cwd = temporaryFolder();
await issueBoundlessKey({ cwd });

const backup = (folder: string, args: readonly string[] = [], options: { cwd?: string; program?: string[] } = {}) =>
  run(["backup", "--to", folder, ...args], { cwd, ...options });

const jsonOf = ({ exitCode, out, err }: Outcome): { file: string; bytes: number; deleted: string[] } => {
  expect([exitCode, err]).toEqual([0, ""]);
  return JSON.parse(out);
};

const keysIn = (file: string): unknown => {
  const db = openDatabaseFile(file, { readonly: true });
  try {
    return db.query("SELECT count(*) AS count FROM keys").get();
  } finally {
    db.close();
  }
};

/** The names of backups of this database, at a time of our choosing. */
async function olderNames(folder: string, ...stamps: string[]): Promise<string[]> {
  const made = jsonOf(await backup(folder, ["--json"])).file;
  return stamps.map((stamp) => {
    const older = made.replace(/\d{8}T\d{6}\.\d{3}Z/, stamp);
    copyFileSync(made, older);
    return older;
  });
}

describe("a backup into a folder", () => {
  test("is named by the time in UTC, whole, checked and for its owner alone", async () => {
    const folder = temporaryFolder();
    const before = new Date();
    const { file, bytes, deleted } = jsonOf(await backup(folder, ["--json"]));
    const [name, ...others] = readdirSync(folder);
    expect([name, others, deleted]).toEqual([expect.stringMatching(NAME), [], []]);
    expect(file).toBe(join(folder, name as string));
    expect([statSync(file).mode & 0o777, statSync(file).size]).toEqual([0o600, bytes]);
    expect(keysIn(file)).toEqual({ count: 1 });
    const stamp = /-(\d{8}T\d{6}\.\d{3}Z)-/.exec(name as string)?.[1] as string;
    expect(stamp >= before.toISOString().replaceAll(/[-:]/g, "")).toBe(true);
  });

  test("deletes the oldest beyond those to keep, of this very database, and nothing else", async () => {
    const folder = temporaryFolder();
    const other = temporaryFolder();
    await issueBoundlessKey({ cwd: other });
    const ofOther = jsonOf(await backup(folder, ["--json"], { cwd: other })).file;
    const [oldest, older] = await olderNames(folder, "20200101T000000.000Z", "20210101T000000.000Z");
    const precious = ["notes.txt", "animal-store.db", "animal-store-20190101T000000.000Z-00000000.db"];
    for (const name of precious) writeFileSync(join(folder, name), "precious");
    const link = (oldest as string).replace("20200101", "20180101");
    symlinkSync(join(folder, "notes.txt"), link);
    const { file, deleted } = jsonOf(await backup(folder, ["--keep", "2", "--json"]));
    expect(deleted).toEqual([oldest, older] as string[]);
    expect(readdirSync(folder)).toHaveLength(2 + 1 + precious.length + 1);
    for (const kept of [file, ofOther, link, ...precious.map((name) => join(folder, name))])
      expect([kept, existsSync(kept)]).toEqual([kept, true]);
    const { out } = await backup(folder, ["--keep", "1"]);
    expect(out).toMatch(/^Backed up to .*\n(Deleted .*\n){2}$/);
  });

  test("made by several at once: each has its own, and the newest stay", async () => {
    const folder = temporaryFolder();
    const all = await Promise.all(Array.from({ length: 6 }, () => backup(folder, ["--keep", "3", "--json"])));
    const files = all.map((outcome) => jsonOf(outcome).file).sort();
    expect(new Set(files).size).toBe(6);
    const left = readdirSync(folder).sort();
    expect(left.map((name) => join(folder, name)).slice(-3)).toEqual(files.slice(-3));
    for (const name of left) expect(keysIn(join(folder, name))).toEqual({ count: 1 });
    expect((await backup(folder, ["--keep", "3"])).exitCode).toBe(0);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  test("deletes nothing while one is from the future, and says so", async () => {
    const folder = temporaryFolder();
    const [, future] = await olderNames(folder, "20200101T000000.000Z", "29990101T000000.000Z");
    const { exitCode, err } = await backup(folder, ["--keep", "1"]);
    expect([exitCode, err]).toEqual([
      0,
      `animal-store: warning: no old backup was deleted, because ${future} is from the future: check the clock, then rename or delete that file\n`,
    ]);
    expect(readdirSync(folder)).toHaveLength(4);
  });
});

describe("a backup into a folder that fails deletes nothing, and leaves nothing behind", () => {
  test.skipIf(!canMount)("when the disk is full, until there is room", () =>
    onSmallDisk("1m", async (folder) => {
      await olderNames(folder, "20200101T000000.000Z");
      const before = readdirSync(folder);
      const filler = join(folder, "filler");
      Bun.spawnSync(["sh", "-c", `cat /dev/zero > ${filler}`], { stderr: "ignore" });
      const { exitCode, err } = await backup(folder, ["--keep", "1"]);
      expect([exitCode, err]).toEqual([1, expect.stringMatching(/^animal-store: cannot (back up|write) /)]);
      expect(err).toContain(`Free some space in ${folder}`);
      expect(readdirSync(folder).sort()).toEqual([...before, "filler"].sort());
      rmSync(filler);
      expect((await backup(folder, ["--keep", "1"])).exitCode).toBe(0);
      expect(readdirSync(folder)).toHaveLength(1);
    }),
  );

  test.skipIf(process.platform !== "linux")("when the folder may not be written to, not even by root", async () => {
    expect((await backup("/sys", ["--keep", "1"])).err).toContain("you may not write to the folder /sys");
  });

  test("when there is no such folder, as when its disk is not mounted", async () => {
    const folder = join(temporaryFolder(), "none");
    const { exitCode, err } = await backup(folder, ["--keep", "1"]);
    expect([exitCode, err]).toEqual([1, expect.stringContaining(`there is no folder ${folder}: create it first`)]);
    expect(existsSync(folder)).toBe(false);
  });

  test("when there is no database, and then makes none", async () => {
    const empty = temporaryFolder();
    mkdirSync(join(empty, "to"));
    expect((await backup("to", [], { cwd: empty })).err).toContain("there is no database at ");
    expect(readdirSync(empty)).toEqual(["to"]);
  });
});

test.skipIf(!canTrace)("an old backup that cannot be deleted is a failure, and the new one stays", async () => {
  const folder = temporaryFolder();
  const [oldest] = (await olderNames(folder, "20200101T000000.000Z")) as [string];
  const inject = ["-P", oldest, "-e", "inject=unlink,unlinkat:error=EACCES"];
  const failing = ["strace", "-f", "-o", "/dev/null", ...inject, EXECUTABLE];
  const { exitCode, err } = await backup(folder, ["--keep", "1"], { program: failing });
  expect([exitCode, err]).toEqual([1, expect.stringMatching(/^animal-store: the backup .* was made, but an old one /)]);
  expect(readdirSync(folder).filter((name) => NAME.test(name))).toHaveLength(3);
});

test.each([
  [[], "error: give either the file of the backup, or a folder with --to <folder>"],
  [["a.db", "--to", "."], "give either the file of the backup, or a folder with --to"],
  [["a.db", "--keep", "3"], "error: option '--keep <number>' needs '--to <folder>': nothing else is ever deleted"],
  [["--to", ".", "--keep", "0"], "It must be a whole number from 1 to 100000."],
  [["--to", ".", "--keep", "all"], "It must be a whole number from 1 to 100000."],
])("misused as %j, it says how to use it, with exit code 2", async (args, message) => {
  const { exitCode, err } = await run(["backup", ...args], { cwd });
  expect([exitCode, err]).toEqual([2, expect.stringContaining(message)]);
});

test("a PostgreSQL database is for pg_dump", async () => {
  const env = { DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/a" };
  const { exitCode, err } = await run(["backup", "--to", "."], { cwd, env });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("use pg_dump for PostgreSQL")]);
  expect(err).not.toContain("hunter2");
});

test("its help has all options", async () => {
  const { exitCode, out } = await run(["backup", "--help"], { cwd });
  expect(exitCode).toBe(0);
  for (const option of ["--to <folder>", "--keep <number>", "--json"]) expect(out).toContain(option);
});
