import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../harness/folder.ts";
import { EXECUTABLE, run, serve, withoutProgress } from "../../harness/program/program.ts";
import { stopWhen } from "../../harness/program/turns.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";
import { emptyDatabaseMaker } from "../../harness/servers/postgres.ts";

const newDatabase = await emptyDatabaseMaker();
const SOURCE = "sqlite:data/animal-store.db";

/** A store with a key and animals. */
async function filledStore(animals: number): Promise<string> {
  const cwd = temporaryFolder();
  await run(["migrate"], { cwd });
  await run(["keys", "create", "--name", "production", "--plan", "free"], { cwd });
  const db = openDatabaseFile(join(cwd, "data/animal-store.db"));
  db.run(`INSERT INTO animals (name, category_id, status, folded_name) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${animals})
    SELECT 'Animal ' || i, i, 'available', 'animal ' || i FROM n`);
  db.close();
  return cwd;
}

const countOf = (path: string, table: string): number => {
  const db = openDatabaseFile(path, { readonly: true });
  try {
    // A copy that is halted may hold a lock, for which there is no use in waiting.
    db.run("PRAGMA busy_timeout = 0");
    return (db.query(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count;
  } finally {
    db.close();
  }
};

test("copy takes its addresses from the environment, so that no password is among the arguments", async () => {
  const cwd = await filledStore(10);
  const [first, second] = [await newDatabase(), join(temporaryFolder(), "second.db")];
  // The store of the service is what is copied, unless something else is said.
  const there = await run(["copy", "--json"], { cwd, env: { COPY_TO: first } });
  expect([there.exitCode, there.err]).toEqual([0, ""]);
  expect(JSON.parse(there.out).find(({ table }: { table: string }) => table === "animals").rows).toBe(10);
  const back = await run(["copy"], { cwd, env: { COPY_FROM: first, COPY_TO: `sqlite:${second}` } });
  expect([back.exitCode, back.err]).toEqual([0, ""]);
  expect(back.out).toMatch(/animals +10 +[0-9a-f]{16}/);
  expect(back.out).toContain("Both databases hold the same data.");
  const keys = await run(["keys", "list", "--json"], { cwd, env: { DATABASE_URL: `sqlite:${second}` } });
  expect(JSON.parse(keys.out)).toMatchObject([{ name: "production" }]);
  const bad = await run(["copy"], { cwd, env: { COPY_TO: "postgres://user:s3cret@/" } });
  expect([bad.exitCode, bad.err]).toEqual([1, expect.stringMatching(/^animal-store: COPY_TO must be /)]);
  expect(bad.err).not.toContain("s3cret");
});

test("copy --animals fills a staging store beside a running service, and its own keys stay", async () => {
  const cwd = await filledStore(5_000);
  const staging = temporaryFolder();
  await run(["migrate"], { cwd: staging });
  await run(["keys", "create", "--name", "staging", "--plan", "free"], { cwd: staging });
  const to = `sqlite:${join(staging, "data/animal-store.db")}`;
  const service = await serve({ cwd });
  const copy = (...args: string[]) => run(["copy", "--animals", "--from", SOURCE, "--to", to, ...args], { cwd });
  const { exitCode, out, err } = await copy();
  expect([exitCode, err]).toEqual([0, ""]);
  expect(out).toMatch(/animals +5,000 /);
  expect(out).toContain("holds the same animals and categories. Its keys are its own.");
  const again = await copy();
  expect([again.exitCode, again.err]).toEqual([
    1,
    "animal-store: the target has animals already: use a new database, or give --replace to replace its animals and categories\n",
  ]);
  expect((await copy("--replace", "--yes")).exitCode).toBe(0);
  await service.kill("SIGTERM");
  const keys = await run(["keys", "list", "--json"], { cwd: staging });
  expect(JSON.parse(keys.out)).toMatchObject([{ name: "staging" }]);
  const stagingService = await serve({ cwd: staging });
  expect((await copy("--replace", "--yes")).err).toBe(
    `animal-store: another process is already serving ${join(staging, "data/animal-store.db")}: stop it first, or set another --to\n`,
  );
  await stagingService.kill("SIGTERM");
  const journal = JSON.parse((await run(["journal", "--json"], { cwd: staging })).out) as { action: string }[];
  expect(journal.filter(({ action }) => action === "copy --animals")).toHaveLength(2);
});

describe("a copy that is interrupted", async () => {
  // SQLite gets 50,000 rows in one transaction.
  const cwd = await filledStore(80_000);

  /** Begins a copy, and sends it a signal once some animals have arrived. */
  async function interrupt(to: string, signal: NodeJS.Signals): Promise<{ code: number | null; err: string }> {
    const command = [EXECUTABLE, "copy", "--from", SOURCE, "--to", `sqlite:${to}`];
    const child = Bun.spawn(command, { cwd, env: {}, stdout: "ignore", stderr: "pipe" });
    const hasBegun = () => {
      try {
        return existsSync(to) && countOf(to, "animals") > 0;
      } catch {
        return false;
      }
    };
    await stopWhen(child, hasBegun);
    child.kill(signal);
    child.kill("SIGCONT");
    await child.exited;
    return { code: child.exitCode, err: withoutProgress(await new Response(child.stderr).text()) };
  }

  for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const)
    test(`by ${signal} is not served, and is finished by the same command`, async () => {
      const to = join(temporaryFolder(), "copy.db");
      const { code, err } = await interrupt(to, signal);
      if (signal !== "SIGKILL")
        expect([code, err]).toEqual([
          130,
          "animal-store: stopped at the end of a batch: run the same command again to continue\n",
        ]);
      const env = { DATABASE_URL: `sqlite:${to}`, PORT: "0" };
      for (const args of [["serve"], ["keys", "list"], ["animals", "export"]])
        expect((await run(args, { cwd, env })).err).toContain(
          "a copy into this database was not finished: run animal-store copy again",
        );
      const before = countOf(to, "animals");
      expect(before).toBeGreaterThan(0);
      expect(before).toBeLessThan(80_000);
      const { exitCode, out } = await run(["copy", "--from", SOURCE, "--to", `sqlite:${to}`], { cwd });
      expect([exitCode, out]).toEqual([0, expect.stringMatching(/animals +80,000 /)]);
      expect((await run(["keys", "list"], { cwd, env })).exitCode).toBe(0);
    });
});

test("copy is misused with exit code 2, and its help names the variables", async () => {
  const cwd = temporaryFolder();
  for (const [args, message] of [
    [["copy"], "required option '--to <url>' not specified, and COPY_TO is not set"],
    [["copy", "--to", "sqlite:x.db", "--replace"], "option '--replace' needs '--animals'"],
    [["copy", "--to", "mysql://x"], "'--to <url>' is invalid: it must be sqlite: followed by"],
    [["copy", "--form", "x"], "Did you mean --from?"],
  ] as const) {
    const { exitCode, out, err } = await run(args, { cwd });
    expect([exitCode, out, err]).toEqual([2, "", expect.stringContaining(message)]);
  }
  const { exitCode, out } = await run(["copy", "--help"], { cwd });
  expect(exitCode).toBe(0);
  for (const word of ["COPY_FROM", "COPY_TO", "DATABASE_URL", "REDIS_URL", "--animals", "--replace"])
    expect(out).toContain(word);
});

test("a password in an address that is not accepted is not repeated", async () => {
  const cwd = temporaryFolder();
  for (const url of ["postgre://u:hunter2@h/x", "postgres://h/x?password=hunter2", "postgres://u:hunter2@h"])
    for (const args of [
      ["copy", "--to", url],
      ["copy", "--from", url, "--to", "sqlite:b.db"],
      ["copy", `--tto=${url}`],
      ["keys", "list", url],
      [url],
    ]) {
      const { exitCode, out, err } = await run(args, { cwd });
      expect(exitCode).toBe(2);
      expect(out + err).not.toContain("hunter2");
    }
});

test("what is wrong with an address is said of where it was given", async () => {
  const cwd = await filledStore(1);
  const there = join(cwd, "nope.db");
  const copy = (args: string[], env = {}) => run(["copy", ...args], { cwd, env });
  expect((await copy(["--from", "sqlite:nope.db", "--to", "sqlite:x.db"])).err).toBe(
    `animal-store: there is no database at ${there}: check --from and the current folder\n`,
  );
  const env = { COPY_FROM: "sqlite:nope.db", COPY_TO: "sqlite:x.db" };
  expect((await copy([], env)).err).toContain("check COPY_FROM and");
  expect((await copy(["--to", "sqlite:x.db"], { DATABASE_URL: "sqlite:nope.db" })).err).toContain("check DATABASE_URL");
  const foreign = openDatabaseFile(join(cwd, "foreign.db"));
  foreign.run("CREATE TABLE t (a)");
  foreign.close();
  expect((await copy(["--from", SOURCE, "--to", "sqlite:foreign.db"])).err).toContain(
    `set --to to a file other than ${join(cwd, "foreign.db")}`,
  );
});
