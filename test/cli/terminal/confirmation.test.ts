import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setUp } from "../../harness/cleanup.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { operatorIn } from "../../harness/program/operator.ts";
import { EXECUTABLE, run, runInTerminal } from "../../harness/program/program.ts";
import { querySqlite } from "../../harness/service/stores.ts";

// One store with something to lose for each command that cannot be undone.

const cwd = temporaryFolder();
const { cli, issue, makeStore } = operatorIn(cwd);
const file = join(cwd, "data/animal-store.db");
const ids = { active: "", revoked: "" };

/** Each command, what its question names, and what it says when it is done. In this order, none hinders the next. */
const COMMANDS: [args: () => string[], named: () => string, done: string][] = [
  [
    () => ["keys", "revoke", "Till"],
    () => `Key ${ids.active} (Till), never used, will be revoked: it can never work again.`,
    "has been revoked.",
  ],
  [
    () => ["keys", "delete", ids.revoked],
    () => `Key ${ids.revoked} (Old), never used, will be deleted, with its secrets, usage and saved responses.`,
    "has been deleted",
  ],
  [
    () => ["animals", "undo", "1"],
    () => "Import 1 (pets.csv): 2 animals will be removed, except those that orders refer to.",
    "2 animals removed.",
  ],
  [
    () => ["console", "sign-out", "--all"],
    () => "1 session will end, and links that were not used yet.",
    "1 session was ended.",
  ],
  [
    () => ["copy", "--animals", "--replace", "--from", "sqlite:backup.db", "--to", `sqlite:${file}`],
    () => `All animals and categories in ${file} will be replaced by those in ${join(cwd, "backup.db")}.`,
    "holds the same animals and categories.",
  ],
  [() => ["restore", "backup.db"], () => `${file} (`, "Restored "],
];

setUp(async () => {
  await makeStore();
  ids.active = (await issue("Till", "free")).id;
  ids.revoked = (await issue("Old", "free")).id;
  await cli("keys", "revoke", ids.revoked, "--yes");
  // The key now seems to have been revoked long enough ago.
  querySqlite(file, "UPDATE keys SET revoked_at = revoked_at - 60000 WHERE revoked_at IS NOT NULL");
  querySqlite(file, "INSERT INTO console_sessions VALUES ('digest', 'Anna', 9000000000000, 'operator')");
  writeFileSync(join(cwd, "pets.csv"), "name,categoryId\nRex,7\nMia,8\n");
  await cli("animals", "import", "pets.csv");
  await cli("backup", "backup.db");
});

/** Everything that a change would be seen in. */
const journal = async () => (await cli("journal", "--json")).out;
const inTerminal = (args: readonly string[], typed: string) => runInTerminal(args, { cwd, columns: 200, typed });

describe("what cannot be undone", () => {
  test("is misuse without a terminal and without --yes, and nothing is changed", async () => {
    const before = await journal();
    for (const [args] of COMMANDS) {
      const { exitCode, out, err } = await run(args(), { cwd });
      expect([args(), exitCode, out, err]).toEqual([
        args(),
        2,
        "",
        "error: there is no terminal to ask on, so nothing was changed: give --yes to do it unasked\n(add --help for usage)\n",
      ]);
    }
    expect(await journal()).toBe(before);
  });

  test("is not asked about where nobody would see the question", async () => {
    const script = `"${EXECUTABLE}" keys revoke Till 2> said`;
    const { exitCode } = await runInTerminal([], { cwd, columns: 80, program: ["sh", "-c", script] });
    expect([exitCode, readFileSync(join(cwd, "said"), "utf8")]).toEqual([2, expect.stringContaining("give --yes")]);
  });

  test.each([
    ["Enter", "\n", 1, COMMANDS],
    ["no", "no\n", 1, COMMANDS.slice(0, 1)],
    ["something else", "yess\n", 1, COMMANDS.slice(0, 1)],
    ["Ctrl+C", "\x03", 130, COMMANDS],
    ["Ctrl+D", "\x04", 130, COMMANDS.slice(0, 1)],
  ])("is not done after %s, and the exit code says so", async (_, typed, expected, commands) => {
    const before = await journal();
    for (const [args, named] of commands) {
      const { exitCode, out } = await inTerminal(args(), typed);
      expect([args(), exitCode]).toEqual([args(), expected]);
      expect(out).toContain(named());
      expect(out).toMatch(/\nGo on\? \[y\/N\] .*\nanimal-store: nothing was changed\n$/);
    }
    expect(await journal()).toBe(before);
  });

  test("is done after y, and what would change nothing is not asked about", async () => {
    for (const [args, , done] of COMMANDS) {
      const { exitCode, out } = await inTerminal(args(), "y\n");
      expect([args(), exitCode, out]).toEqual([args(), 0, expect.stringContaining(done)]);
      if (args()[1] !== "revoke") continue;
      const again = await inTerminal(args(), "");
      expect(again).toEqual({ exitCode: 0, out: expect.stringContaining("was already revoked, at ") });
      expect(again.out).not.toContain("[y/N]");
    }
  });

  test("is done without a question with --yes", async () => {
    const { exitCode, out } = await inTerminal(["console", "sign-out", "--all", "--yes"], "");
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^0 sessions were ended\./)]);
  });
});
