import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, run, serve } from "../harness/program/program.ts";
import { canTrace } from "../harness/program/trace.ts";

/** Puts a program under watch; the lines show paths for descriptors, and may be cut where threads take turns. */
const traced = (file: string): string[] => [
  "strace",
  "-f",
  "-y",
  "-o",
  file,
  "-e",
  "trace=fsync,fdatasync,link,linkat",
];

const positionOf = (lines: readonly string[], text: RegExp): number => lines.findIndex((line) => text.test(line));

test.skipIf(!canTrace)(
  "a first start syncs each new folder's parent, and the operator's key with its name",
  async () => {
    const cwd = temporaryFolder();
    const trace = join(cwd, "trace");
    const env = { DATABASE_URL: "sqlite:new/deep/store.db" };
    const service = await serve({ cwd, env, wrap: traced(trace) });
    // strace ends with the program that it watches.
    const { pid } = service.child;
    process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")), "SIGTERM");
    await service.child.exited;
    const lines = (await Bun.file(trace).text()).split("\n");
    for (const folder of [cwd, join(cwd, "new"), join(cwd, "new/deep")])
      expect(lines.some((line) => line.includes(`fsync(`) && line.includes(`<${folder}>`))).toBe(true);
    const key = positionOf(lines, /f(data)?sync\(\d+<[^>]*operator-key\.[^>]*partial>/);
    expect(key).toBeGreaterThan(-1);
    expect(positionOf(lines.slice(key), /fsync\(\d+<[^>]*\/new\/deep>/)).toBeGreaterThan(0);
  },
);

test.skipIf(!canTrace)("a backup is synced before it gets its name, and its folder afterwards", async () => {
  const cwd = temporaryFolder();
  await run(["migrate"], { cwd });
  const trace = join(cwd, "trace");
  const { exitCode } = await run(["backup", "copy.db"], { cwd, program: [...traced(trace), EXECUTABLE] });
  expect(exitCode).toBe(0);
  const lines = (await Bun.file(trace).text()).split("\n");
  const link = positionOf(lines, /link(at)?\(.*\.partial.*copy\.db"/);
  expect(positionOf(lines.slice(0, link), /fsync\(\d+<[^>]*\.partial>/)).toBeGreaterThan(-1);
  expect(lines.slice(link).some((line) => line.includes("fsync(") && line.includes(`<${cwd}>`))).toBe(true);
});

test("database files are for their owner alone, in a folder that is there already too", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "data"), { mode: 0o755 });
  const service = await serve({ cwd });
  for (const name of ["animal-store.db", "animal-store.db-wal", "animal-store.db-shm", "animal-store.operator-key"])
    expect([name, statSync(join(cwd, "data", name)).mode & 0o777]).toEqual([name, 0o600]);
  await service.kill("SIGTERM");
});
