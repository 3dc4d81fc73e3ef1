import { expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync, renameSync } from "node:fs";
import { join } from "node:path";
import { lockForServing } from "../../../src/store/sqlite/file/serving-lock.ts";
import { EXECUTABLE, issueBoundlessKey, postAnimal, serve } from "../../harness/program/program.ts";
import { animalsIn, asideIn, command, copyOf, restore } from "../../harness/program/restore.ts";
import { canTrace } from "../../harness/program/trace.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";

// A restore that is killed, and others who come at its moment.

/** System calls that make a restore's work last, or change the names of files: it is killed before each of them. */
const CALLS = "fsync,fdatasync,ftruncate,link,linkat,unlink,unlinkat,rename,renameat,renameat2,fchownat,chown";
/** Most writes are pages of the same draft, so a few of them stand for all. */
const WRITES = ["pwrite64", [1, 20, 50]] as const;

test.skipIf(!canTrace)(
  "a restore that is killed at any point leaves the old database or the new one, which can be opened and replaced",
  async () => {
    const outcomes = new Set<string>();
    /** Kills it before a call, and returns whether it was done without that call. */
    async function killBefore(calls: string, ordinal: number): Promise<boolean> {
      const { cwd, file, backup } = copyOf();
      const options = ["-f", "-o", "/dev/null", "-e", `trace=${calls}`];
      const inject = ["-e", `inject=${calls}:signal=KILL:when=${ordinal}`];
      const { exitCode } = await command(["restore", backup, "--yes"], cwd, {}, ["strace", ...options, ...inject]);
      const found = (await animalsIn(file)).join();
      outcomes.add(found);
      // The former database is never lost.
      if (found === "Old") expect(await animalsIn(asideIn(cwd)[0] as string)).toEqual(["Old", "New"]);
      if (exitCode !== 0 && ordinal % 5 === 0) {
        expect((await restore(backup, cwd)).exitCode).toBe(0);
        expect(await animalsIn(file)).toEqual(["Old"]);
      }
      return exitCode === 0;
    }
    const [write, ordinals] = WRITES;
    expect(await Promise.all(ordinals.map((ordinal) => killBefore(write, ordinal)))).not.toContain(true);
    let kills = 0;
    for (let isOver = false; !isOver; kills += 4)
      isOver = (await Promise.all([1, 2, 3, 4].map((i) => killBefore(CALLS, kills + i)))).includes(true);
    expect(outcomes).toEqual(new Set(["Old,New", "Old"]));
    expect(kills).toBeGreaterThan(8);
  },
);

test("two restores at once: one of them is refused, or they come one after the other", async () => {
  const { cwd, file, backup } = copyOf();
  const both = await Promise.all([restore(backup, cwd), restore(backup, cwd)]);
  expect(both.some(({ exitCode }) => exitCode === 0)).toBe(true);
  for (const { exitCode, err } of both) if (exitCode !== 0) expect(err).toContain("another process is already serving");
  expect(await animalsIn(file)).toEqual(["Old"]);
});

/** Until a process has opened a file. */
async function untilOpen(pid: number, file: string): Promise<void> {
  const opens = (descriptor: string): boolean => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`) === file;
    } catch {
      return false;
    }
  };
  while (!(existsSync(`/proc/${pid}/fd`) && readdirSync(`/proc/${pid}/fd`).some(opens))) await Bun.sleep(1);
}

test.skipIf(process.platform !== "linux")(
  "a command that waited while the file was replaced does not touch the new one",
  async () => {
    const { cwd, file, backup } = copyOf();
    const db = openDatabaseFile(file);
    db.run("PRAGMA journal_mode = DELETE");
    db.run("BEGIN EXCLUSIVE");
    const child = Bun.spawn([EXECUTABLE, "keys", "create", "--name", "late", "--plan", "pro"], {
      cwd,
      env: {},
      stdout: "pipe",
      stderr: "pipe",
    });
    await untilOpen(child.pid, file);
    renameSync(backup, file);
    db.close(true);
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
      1,
      expect.stringContaining("was replaced at this moment, by a restore for one: try again"),
    ]);
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(await animalsIn(file)).toEqual(["Old"]);
    expect((await command(["keys", "create", "--name", "late", "--plan", "pro"], cwd)).exitCode).toBe(0);
  },
);

test.skipIf(process.platform !== "linux")(
  "a service that waited while the file was replaced serves the new one",
  async () => {
    const { cwd, file, backup } = copyOf();
    const { unlock } = lockForServing(file, 0);
    const starting = serve({ cwd, wrap: ["sh", "-c", 'echo $$ > pid.new; mv pid.new pid; exec "$@"', "sh"] });
    while (!existsSync(join(cwd, "pid"))) await Bun.sleep(1);
    await untilOpen(Number(readFileSync(join(cwd, "pid"), "utf8")), file);
    renameSync(`${file}-wal`, join(cwd, "old-wal"));
    copyFileSync(backup, `${file}.new`);
    renameSync(`${file}.new`, file);
    unlock();
    const service = await starting;
    const secret = await issueBoundlessKey({ cwd });
    expect((await postAnimal(service, secret, "Newest")).status).toBe(201);
    expect(await service.kill("SIGTERM")).toBe(0);
    expect(await animalsIn(file)).toEqual(["Old", "Newest"]);
  },
);
