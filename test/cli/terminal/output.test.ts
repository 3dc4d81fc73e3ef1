import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram, everyCommand } from "../../../src/cli/program.ts";
import { APPLICATION_ID } from "../../../src/store/sqlite/file/database.ts";
import { setUp } from "../../harness/cleanup.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { operatorIn } from "../../harness/program/operator.ts";
import { EXECUTABLE, run, runInTerminal } from "../../harness/program/program.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";
import { emptyDatabaseMaker } from "../../harness/servers/postgres.ts";

const cwd = temporaryFolder();
const { cli, json, issue, makeStore } = operatorIn(cwd);
setUp(makeStore);

/** Returns the output of a shell that runs the program as $A: its exit code is in `code`. */
async function shell(script: string) {
  const child = Bun.spawn(["bash", "-c", script], {
    cwd,
    env: { PATH: process.env.PATH ?? "", A: EXECUTABLE },
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

/** Ways in which what is printed reaches nobody. */
const LOST = [
  [
    "a pipe that nobody reads",
    `(sleep 0.2; $A COMMAND) | true; exit \${PIPESTATUS[0]}`,
    "nobody reads standard output any more",
  ],
  ["a closed output", "$A COMMAND >&-", "standard output is closed, or is /dev/null"],
  ["/dev/null", "$A COMMAND > /dev/null", "standard output is closed, or is /dev/null"],
  ["a full disk", "$A COMMAND > /dev/full", "cannot write to standard output: ENOSPC"],
] as const;

describe.if(process.platform === "linux")("a secret that cannot be printed", () => {
  for (const [where, script, reason] of LOST)
    for (const format of ["", " --json"])
      test(`is not made: to ${where}${format}`, async () => {
        const { id } = await issue(`Rotated, ${where}${format}`, "free");
        const count = async () => (await json("keys", "list")).length;
        const [before, shown] = [await count(), await json("keys", "show", id)];
        const line = `animal-store: the secret cannot be printed, so nothing was changed: ${reason}`;
        for (const command of ["keys create --name lost --plan free", `keys rotate ${id} --overlap 0`]) {
          const { code, err } = await shell(script.replace("COMMAND", command + format));
          expect([code, err.slice(0, line.length), err.split("\n").length]).toEqual([1, line, 2]);
        }
        expect(await count()).toBe(before);
        expect(await json("keys", "show", id)).toEqual(shown);
        expect(await json("journal", "--key", id)).toHaveLength(1);
      });

  test("and one whose key cannot be made does not look complete", async () => {
    const db = openDatabaseFile(join(cwd, "data/animal-store.db"));
    db.run("BEGIN IMMEDIATE");
    const created = await cli("keys", "create", "--name", "late", "--plan", "free", "--json");
    const shown = await cli("keys", "create", "--name", "late", "--plan", "free");
    db.close();
    for (const { exitCode, err } of [created, shown]) {
      expect(exitCode).toBe(1);
      expect(err).toContain("nothing was changed");
    }
    expect(() => JSON.parse(created.out)).toThrow();
    expect(shown.out).not.toContain("Key created");
    expect((await json("keys", "list", "--search", "late")).length).toBe(0);
  });
});

describe.if(process.platform === "linux")("output that nobody reads", () => {
  test.each([
    "keys list",
    "keys list --json",
    "plans",
    "journal",
    "journal --json",
    "migrate --check",
    "doctor",
    "--help",
    "keys --help",
    "--version",
  ])("ends %p quietly, as it ends other programs", async (command) => {
    const { code, err } = await shell(`(sleep 0.1; $A ${command}) | true; exit \${PIPESTATUS[0]}`);
    expect([code, err]).toEqual([141, ""]);
  });

  test("because the disk is full is a failure in one line", async () => {
    for (const command of ["keys list", "plans --json", "--help"]) {
      const { code, err } = await shell(`$A ${command} > /dev/full`);
      expect([code, err.split("\n").length]).toEqual([1, 2]);
      expect(err).toStartWith("animal-store: cannot write to standard output: ENOSPC");
    }
  });

  test("does not undo a change, and a closed error output keeps nothing from being done", async () => {
    const { id } = await issue("Suspended", "free");
    expect((await shell(`$A keys suspend ${id} > /dev/full`)).code).toBe(1);
    expect((await json("keys", "show", id)).state).toBe("suspended");
    expect((await shell(`$A keys list --search Suspended 2>&-`)).code).toBe(0);
    expect((await shell(`(sleep 0.1; $A kyes) 2>&1 >/dev/null | true; exit \${PIPESTATUS[0]}`)).code).toBe(2);
  });
});

/** Of the commands with subcommands, only one does something itself. */
const leaves = [...everyCommand(await createProgram())].filter(
  (command) => command.commands.length === 0 || command.name() === "console",
);
const names = leaves.map((leaf) => (leaf.parent?.parent ? `${leaf.parent.name()} ${leaf.name()}` : leaf.name()));
const isOf = (name: string) => (command: string) => `${command} `.startsWith(`${name} `);

describe("no command makes a database", () => {
  /** The arguments with which each of them would do something. */
  const COMMANDS = [
    "keys create --name x --plan free",
    ...["show", "rotate", "suspend", "resume", "unban", "usage"].map((name) => `keys ${name} x`),
    ...["revoke", "delete"].map((name) => `keys ${name} x --yes`),
    "keys edit x --name y",
    "keys list",
    "usage",
    "top",
    "instances",
    "requests",
    "journal",
    "console",
    "console sign-out --all --yes",
    "backup copy.db",
    "animals import -",
    "animals export",
    "animals imports",
    "animals undo 1 --yes",
    ...["animals list", "animals show 1", "orders list", "orders show 1", "orders move 1 approved"],
    ...["categories list", "categories put 1 x", "categories delete 1"],
  ].filter((command) => names.some((name) => isOf(name)(command)));
  /** Commands that create one, and commands that need none. */
  const OTHERS = [
    "serve",
    "migrate",
    "copy",
    "restore",
    "ready",
    "plans",
    "config",
    "doctor",
    "completion",
    "complete",
    "version",
  ];

  test("but serve, migrate, and a copy or what is restored: every command is looked at", () => {
    for (const name of names) expect([name, OTHERS.includes(name) || COMMANDS.some(isOf(name))]).toEqual([name, true]);
  });

  test.each(COMMANDS)("in a folder that has none: %p names the absolute path", async (command) => {
    const folder = temporaryFolder();
    const { exitCode, out, err } = await run(command.split(" "), { cwd: folder });
    expect([exitCode, out]).toEqual([1, ""]);
    expect(err).toBe(
      `animal-store: there is no database at ${join(folder, "data/animal-store.db")}: check DATABASE_URL and the current folder, or run animal-store migrate, which creates one\n`,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test("but misuse is reported first", async () => {
    const folder = temporaryFolder();
    for (const options of [
      ["--plan", "enterprise"],
      ["--plan", "free", "--expires", "2020-01-01"],
      ["--plan", "gold"],
    ]) {
      const args = ["keys", "create", "--name", "x", ...options];
      expect((await run(args, { cwd: folder })).exitCode).toBe(2);
    }
  });

  test("and none of an empty file, which stays as it is", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "empty.db");
    writeFileSync(file, "");
    for (const args of [["keys", "list"], ["keys", "create", "--name", "x", "--plan", "free"], ["journal"]]) {
      const { exitCode, err } = await run(args, {
        cwd: folder,
        env: { DATABASE_URL: "sqlite:empty.db" },
      });
      expect([exitCode, err]).toEqual([
        1,
        `animal-store: ${file}: the database is empty: check DATABASE_URL, or run animal-store migrate, which creates its schema\n`,
      ]);
    }
    expect(statSync(file).size).toBe(0);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("nor a schema in an empty PostgreSQL database, which it names without the password", async () => {
    const url = new URL(await (await emptyDatabaseMaker())());
    url.password = "hidden";
    for (const args of [["keys", "list"], ["keys", "create", "--name", "x", "--plan", "free"], ["journal"]]) {
      const { exitCode, out, err } = await run(args, { cwd, env: { DATABASE_URL: url.href } });
      expect([exitCode, out]).toEqual([1, ""]);
      expect(err).toBe(
        `animal-store: cannot use the database postgres://${url.host}${url.pathname}: the database is empty: check DATABASE_URL, or run animal-store migrate, which creates its schema\n`,
      );
    }
    const { out } = await run(["migrate", "--check", "--json"], { cwd, env: { DATABASE_URL: url.href } });
    expect(JSON.parse(out).from).toBe(0);
  });
});

describe("what others have named commands no terminal", () => {
  const ESCAPE = "\x1b[31m";

  test("in what SQLite says about a hostile file, nor in the report of doctor", async () => {
    const folder = temporaryFolder();
    const db = openDatabaseFile(join(folder, "hostile.db"));
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.run(`CREATE TABLE "o${ESCAPE}" (a)`);
    db.close();
    const bytes = readFileSync(join(folder, "hostile.db"), "latin1");
    writeFileSync(join(folder, "hostile.db"), bytes.replace("CREATE TABLE", "CREATE TABLX"), "latin1");
    for (const args of [["keys", "list"], ["doctor"], ["restore", "hostile.db", "--yes"], ["serve"]]) {
      const env = { DATABASE_URL: `sqlite:${args[0] === "restore" ? "new.db" : "hostile.db"}`, PORT: "0" };
      const { exitCode, out, err } = await run(args, { cwd: folder, env });
      expect(exitCode).toBe(1);
      expect(out + err).toContain("malformed database schema (o<U+001B>[31m)");
      expect(out + err).not.toContain("\x1b");
    }
  });

  test("in names of files, nor in what Commander repeats", async () => {
    const folder = temporaryFolder();
    for (const args of [
      ["restore", `a${ESCAPE}.db`, "--yes"],
      ["keys", `x${ESCAPE}`],
      [`--y${ESCAPE}`],
      ["backup", `${ESCAPE}/b`],
    ]) {
      const { exitCode, err } = await run(args, { cwd: folder });
      expect(exitCode).toBeGreaterThan(0);
      expect(err).not.toContain("\x1b");
    }
  });
});

test("help fits the terminal, also the settings of serve, and is whole in a pipe", async () => {
  for (const command of ["serve", "copy", "keys create"]) {
    const args = [...command.split(" "), "--help"];
    const lines = (await runInTerminal(args, { cwd, columns: 72 })).out.split("\n");
    // An example that users paste into a shell stays on one line.
    const long = lines.filter((line) => Bun.stringWidth(line) > 72 && !line.includes("animal-store copy"));
    expect([command, long]).toEqual([command, []]);
  }
  expect((await cli("serve", "--help")).out).toMatch(/^ {2}LOG_LEVEL +One of .+, silent\. \(default: info\)$/m);
});

test("help on a command of a command is that of the one that is named, or an error", async () => {
  const shown = await cli("help", "keys", "create");
  expect([shown.exitCode, shown.out]).toEqual([0, expect.stringContaining("Usage: animal-store keys create")]);
  const mistyped = await cli("help", "keys", "creat");
  expect([mistyped.exitCode, mistyped.out]).toEqual([2, ""]);
  expect(mistyped.err).toContain("unknown command 'creat'. Did you mean create?");
});
