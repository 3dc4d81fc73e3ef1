import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PLAN_NAMES } from "../../../src/domain/keys/plan.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { operatorIn } from "../../harness/program/operator.ts";
import { EXECUTABLE, run } from "../../harness/program/program.ts";

const cwd = temporaryFolder();
writeFileSync(join(cwd, "backup.db"), "");
mkdirSync(join(cwd, "backups"));
const env = { PATH: `${dirname(EXECUTABLE)}:${process.env.PATH}`, HOME: cwd, TERM: "dumb" };

const program = (...args: string[]) => run(args, { cwd, env });

/** Returns what the program suggests next: the kind, and the words. */
async function next(...words: string[]): Promise<string[]> {
  const { exitCode, out, err } = await program("complete", "--", ...words);
  expect([exitCode, err]).toEqual([0, ""]);
  return out
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0] as string);
}

describe("what may come next", () => {
  test("is every command of the help, and every option of a command", async () => {
    const { out } = await program("--help");
    // In groups, each under its title, between the options and the examples.
    const [, list = ""] = /^The service:\n(.*)^Examples:/ms.exec(out) ?? [];
    const commands = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name as string);
    expect(await next("")).toEqual(["words", ...commands]);
    const help = (await program("keys", "create", "--help")).out;
    const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name as string);
    expect(options.length).toBeGreaterThan(5);
    expect(await next("keys", "create", "-")).toEqual(["words", ...options]);
  });

  test.each([
    [["b"], ["words", "backup"]],
    [
      ["keys", "ro"],
      ["words", "rotate"],
    ],
    [
      ["help", "pl"],
      ["words", "plans"],
    ],
    [
      ["keys", "create", "--plan", ""],
      ["words", ...PLAN_NAMES],
    ],
    [
      ["keys", "create", "--plan=pr"],
      ["words", "--plan=pro"],
    ],
    [["keys", "create", "--plan", "pro", "--pl"], ["words"]],
    [
      ["keys", "list", "--state", "exp"],
      ["words", "expired"],
    ],
    [
      ["keys", "create", "--scopes", "pets:read,pets:"],
      ["words", "pets:read,pets:write"],
    ],
    [
      ["keys", "create", "--scopes", "a"],
      ["words", "all"],
    ],
    [["keys", "create", "--name", ""], ["words"]],
    [
      ["keys", "revoke", "key_1", "--y"],
      ["words", "--yes"],
    ],
    [["keys", "show", ""], ["words"]],
    [
      ["completion", ""],
      ["words", "bash", "zsh", "fish"],
    ],
    [["restore", ""], ["files"]],
    [["restore", "--force", ""], ["files"]],
    [["restore", "a.db", ""], ["words"]],
    [["restore", "--", "--fo"], ["files"]],
    [["backup", "--to", ""], ["folders"]],
    [["nonsense", ""], ["words"]],
    [["--nonsense=", ""], expect.arrayContaining(["words", "serve"])],
  ])("after %j is %j", async (words, expected) => {
    expect(await next(...words)).toEqual(expected as string[]);
  });

  test("where a key is expected, is its name, and its id where the name does not tell which one is meant", async () => {
    const folder = temporaryFolder();
    const { makeStore, issue, cli } = operatorIn(folder, env);
    await makeStore();
    const issued = async (name: string) => (await issue(name, "free")).id as string;
    const [, spaced] = [await issued("Kiosk"), await issued("Front desk"), await issued("Käse-2")];
    const twins = [await issued("Twin"), await issued("Twin")];
    const after = async (...words: string[]) =>
      (await cli("complete", "--", ...words)).out
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t")[0] as string)
        .sort();
    const { out: help } = await cli("keys", "--help");
    const ofKeys = [...help.matchAll(/^ {2}(\w+) \[options\] <id>/gm)].map(([, name]) => ["keys", name as string]);
    expect(ofKeys).toContainEqual(["keys", "delete"]);
    const places = [...ofKeys, ["requests"], ["requests", "--status", "4xx", "--follow"], ["journal", "--key"]];
    for (const place of places)
      expect([...place, ...(await after(...place, ""))]).toEqual([
        ...place,
        ...["words", "Kiosk", "Käse-2", spaced, ...twins].sort(),
      ] as string[]);
    expect(await after("keys", "show", "Ki")).toEqual(["Kiosk", "words"]);
    expect(await after("requests", "Ki")).toEqual(["Kiosk", "words"]);
    expect(await after("requests", "Kiosk", "")).toEqual(["words"]);
    expect(await after("journal", "--key", "K")).toEqual(["Kiosk", "Käse-2", "words"].sort());
    expect(await after("journal", "--key=Ki")).toEqual(["--key=Kiosk", "words"]);
    expect(await after("keys", "show", "key_")).toHaveLength(6);
    expect((await cli("complete", "--", "keys", "show", spaced ?? "")).out).toContain("\tFront desk");
    expect(await after("orders", "show", "")).toEqual(["words"]);
  });

  test("may be asked without a word, and is not in the help", async () => {
    expect(await next()).toContain("serve");
    expect((await program("--help")).out).not.toContain("complete ");
  });
});

describe("completion", () => {
  test("of an unknown shell, or of none, is misuse", async () => {
    for (const args of [[], ["tcsh"], ["bash", "zsh"]]) expect((await program("completion", ...args)).exitCode).toBe(2);
    expect((await program("completion", "tcsh")).err).toContain("Allowed choices are bash, zsh, fish.");
  });

  const inBash = async (line: string): Promise<string[]> => {
    const script = `source <(animal-store completion bash); complete -p animal-store >&2
      COMP_LINE=$1; COMP_POINT=\${#1}; _animal_store; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { exitCode, out, err } = await run(["-c", script, "bash", line], { cwd, env, program: ["bash"] });
    expect([exitCode, err]).toEqual([0, "complete -F _animal_store animal-store\n"]);
    return out.trimEnd().split("\n");
  };

  test("in bash completes commands, options and values, also after : and =", async () => {
    expect(await inBash("animal-store bac")).toEqual(["backup"]);
    expect(await inBash("animal-store keys create --plan ")).toEqual([...PLAN_NAMES]);
    expect(await inBash("animal-store keys create --plan=bus")).toEqual(["business"]);
    expect(await inBash("animal-store keys create --scopes pets:r")).toEqual(["read"]);
    expect(await inBash("animal-store nonsense ")).toEqual([""]);
    // By whatever path it was called.
    expect(await inBash(`${EXECUTABLE} doc`)).toEqual(["doctor"]);
  });

  test.skipIf(!Bun.which("fish"))("in fish completes commands, values, files and folders", async () => {
    const inFish = async (line: string): Promise<string[]> => {
      const script = "animal-store completion fish | source; complete -C $argv[1]";
      const { exitCode, out } = await run(["--no-config", "-c", script, line], { cwd, env, program: ["fish"] });
      expect(exitCode).toBe(0);
      return out
        .trimEnd()
        .split("\n")
        .map((text) => text.split("\t")[0] as string);
    };
    expect(await inFish("animal-store bac")).toEqual(["backup"]);
    expect(await inFish("animal-store keys create --plan ")).toEqual([...PLAN_NAMES].sort());
    expect(await inFish("animal-store restore back")).toEqual(["backup.db", "backups/"]);
    expect(await inFish("animal-store backup --to back")).toEqual(["backups/"]);
  });

  test.skipIf(!Bun.which("zsh"))("in zsh completes commands, values, files and folders", async () => {
    const output: Uint8Array[] = [];
    const zsh = Bun.spawn(["zsh", "-f", "-i"], {
      cwd,
      env: { ...env, PS1: "" },
      terminal: { cols: 200, rows: 50, data: (_, bytes) => void output.push(bytes) },
    });
    const until = async (text: string) => {
      while (!Buffer.concat(output).toString().includes(text)) await Bun.sleep(5);
    };
    zsh.terminal?.write(
      "bindkey -e; autoload -U compinit; compinit -D -u; source <(animal-store completion zsh); setopt no_beep; echo rea''dy\n",
    );
    await until("ready");
    for (const [typed, whole] of [
      ["animal-store bac\t", "animal-store backup"],
      ["animal-store keys create --plan busi\t", "animal-store keys create --plan business"],
      ["animal-store keys create --scopes pets:w\t", "animal-store keys create --scopes pets:write"],
      ["animal-store restore backup.\t", "animal-store restore backup.db"],
      ["animal-store backup --to ba\t", "animal-store backup --to backups\r"],
    ] as const) {
      output.length = 0;
      // Ctrl+A goes to the beginning of the line, which is then printed as it has become.
      zsh.terminal?.write(`${typed}\u0001print -r -- \n`);
      await until(`\n${whole}`);
    }
    zsh.kill("SIGKILL");
    await zsh.exited;
    zsh.terminal?.close();
  });
});
