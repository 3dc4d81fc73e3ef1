import { expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../harness/folder.ts";
import { EXECUTABLE, run } from "../../harness/program/program.ts";

const isPossible = process.getuid?.() === 0 && Bun.which("setpriv") !== null;
const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", EXECUTABLE];
const ADVICE = "run this as the user of the service, or give this user access with chown or chmod";

/** A folder that everybody may look into, and one in it, with a database. */
async function storeOf(mode: { folder: number; file: number }): Promise<{ cwd: string; file: string }> {
  const cwd = temporaryFolder();
  await run(["migrate"], { cwd });
  const file = join(cwd, "data/animal-store.db");
  chmodSync(cwd, 0o755);
  chmodSync(file, mode.file);
  chmodSync(join(cwd, "data"), mode.folder);
  return { cwd, file };
}

test.skipIf(!isPossible)(
  "whoever may not look into the folder of a database is not told that there is none",
  async () => {
    const { cwd, file } = await storeOf({ folder: 0o700, file: 0o600 });
    const said = `${file} cannot be looked at by this user (nobody)`;
    for (const args of [
      ["keys", "list"],
      ["migrate"],
      ["migrate", "--check"],
      ["serve"],
      ["backup", "/tmp/none/a.db"],
    ]) {
      const { exitCode, err } = await run(args, { cwd, program: AS_NOBODY, env: { PORT: "0" } });
      expect([exitCode, err]).toEqual([1, expect.stringContaining(`${said}: ${ADVICE}\n`)]);
    }
    const { exitCode, out } = await run(["doctor"], { cwd, program: AS_NOBODY });
    expect(exitCode).toBe(1);
    expect(out).toContain(`${said}\n         → ${ADVICE}`);
    expect(out).not.toContain("there is no database");
  },
);

test.skipIf(!isPossible)("a file that this user may not read, write or make is named, and what to do", async () => {
  const unreadable = await storeOf({ folder: 0o755, file: 0o600 });
  const readable = await storeOf({ folder: 0o755, file: 0o644 });
  const empty = temporaryFolder();
  chmodSync(empty, 0o755);
  mkdirSync(join(empty, "there"));
  for (const [cwd, url, said] of [
    [unreadable.cwd, "data/animal-store.db", `${unreadable.file} cannot be read by this user (nobody): ${ADVICE}`],
    [readable.cwd, "data/animal-store.db", `${readable.file} cannot be written to by this user (nobody): ${ADVICE}`],
    [
      empty,
      "new/a.db",
      `cannot create the folder ${join(empty, "new")}: this user (nobody) may not write there: ${ADVICE}`,
    ],
    [
      empty,
      "there/a.db",
      `cannot create the database ${join(empty, "there/a.db")}: this user (nobody) may not write there: ${ADVICE}`,
    ],
  ] as const)
    for (const command of ["serve", "migrate"]) {
      const env = { PORT: "0", DATABASE_URL: `sqlite:${url}` };
      const { exitCode, err } = await run([command], { cwd, program: AS_NOBODY, env });
      expect([exitCode, err]).toEqual([1, expect.stringContaining(said)]);
      expect(err).not.toContain("EACCES");
    }
});

test("a folder is no database", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "data"));
  const env = { DATABASE_URL: "sqlite:data" };
  for (const args of [["keys", "list"], ["migrate"], ["serve"]]) {
    const { exitCode, err } = await run(args, { cwd, env });
    expect([exitCode, err]).toEqual([1, expect.stringContaining(`${join(cwd, "data")} is a folder: name a file`)]);
  }
});
