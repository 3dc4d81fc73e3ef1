import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, run, serve } from "../harness/program/program.ts";

const ORIGIN = "http://127.0.0.1:8080";
const END_OF_BLOCK = "@@ end of block @@";

const read = (name: string): Promise<string> => Bun.file(join(import.meta.dir, "../..", name)).text();

interface Step {
  readonly commands: string;
  /** The block right after the commands. */
  readonly shown: string;
}

/** The commands for a shell in a document, without those that start or test the service. */
const stepsIn = (document: string): Step[] =>
  [...document.matchAll(/^```sh\n(.*?)^```$(?:\n\n```\n(.*?)^```$)?/gms)]
    .map(([, commands = "", shown = ""]) => ({ commands, shown }))
    .filter(({ commands }) => !/\bnpm /.test(commands));

/** Headers that every response has; documents leave most of them out. */
const COMMON_HEADER =
  /^(?:Content-Type|Cache-Control|X-Request-Id|X-RateLimit-\w+|RateLimit(?:-Policy)?|Date|Content-Length): /;

/** The lines of an output, without values that differ between runs. */
const linesOf = (output: string): string[] =>
  output
    .replaceAll("\r", "")
    // The program that is run here is installed, where npx is left out.
    .replaceAll("npx animal-store", "animal-store")
    .replaceAll(/ask_\w+|ask_…/g, "ask_")
    .replaceAll(/key_\w{12}/g, "key_")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, "TIME")
    .replaceAll(/"(remaining|strikesLeft)":\d+/g, '"$1":N')
    .split("\n")
    .filter((line) => line !== "" && !COMMON_HEADER.test(line));

// biome-ignore format: a script is read line by line
const SHELL = [
  "curl() { command curl -s \"$@\"; echo; }",
  "npx() { shift; ./node_modules/.bin/animal-store \"$@\"; }",
];

/** Runs the commands of documents in one shell, like a user who pastes them. */
async function outputsOf(steps: readonly Step[]): Promise<string[]> {
  const home = temporaryFolder();
  const bin = join(home, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(EXECUTABLE, join(bin, "animal-store"));
  const { origin } = await serve({ cwd: home });
  const blocks = steps.flatMap(({ commands }) => [commands.replaceAll(ORIGIN, origin), `echo "${END_OF_BLOCK}"`]);
  const script = [...SHELL, ...blocks].join("\n");
  const { exitCode, out, err } = await run(["-e", "-c", script], {
    cwd: home,
    program: ["bash"],
    env: { OPERATOR: "anna" },
  });
  expect([exitCode, err]).toEqual([0, ""]);
  return out.replaceAll(origin, ORIGIN).split(`${END_OF_BLOCK}\n`).slice(0, -1);
}

test.skipIf(!Bun.which("curl"))(
  "README.md and then docs/api.md can be followed, and show what is printed",
  async () => {
    const steps = [...stepsIn(await read("README.md")), ...stepsIn(await read("docs/api.md"))];
    expect(steps.length).toBeGreaterThan(15);
    const outputs = await outputsOf(steps);
    for (const [i, { commands, shown }] of steps.entries())
      expect([commands, linesOf(outputs[i] ?? "")]).toEqual([commands, linesOf(shown)]);
  },
  180_000,
);

/** Commands with what they print, as documents show a terminal: `$ command`, and the lines below it. */
const terminalsIn = (document: string): Step[] =>
  [...document.matchAll(/^```\n(\$ .*?)^```$/gms)].flatMap(([, session = ""]) =>
    session
      .split(/^\$ /m)
      .slice(1)
      .map((entry) => ({ commands: entry.slice(0, entry.indexOf("\n")), shown: entry.slice(entry.indexOf("\n") + 1) })),
  );

test("docs/operations.md shows what an import and invalid settings print", async () => {
  const operations = await read("docs/operations.md");
  const importing = /^### Importing\n.*?(?=^##)/ms.exec(operations)?.[0] ?? "";
  const invalid = terminalsIn(operations).filter(({ shown }) => shown.includes("the configuration is invalid"));
  const steps = [...terminalsIn(importing), ...invalid];
  expect([terminalsIn(importing).length, invalid.length]).toEqual([4, 2]);
  const cwd = temporaryFolder();
  await Bun.write(join(cwd, "animals.csv"), "name,categoryId,status\nRex,7,available\nMia,3,\nTom,x,sold\n");
  await Bun.write(join(cwd, "m.csv"), "Name,Cat\nRex,7\nMia,3\n");
  const bin = temporaryFolder();
  symlinkSync(EXECUTABLE, join(bin, "animal-store"));
  const shell = { cwd, program: ["bash", "-c"], env: { PATH: `${bin}:${process.env.PATH}` } };
  await run(["animal-store migrate"], shell);
  for (const { commands, shown } of steps) {
    const { out, err } = await run([`npx() { "$@"; }; ${commands}`], shell);
    expect([commands, linesOf(err + out)]).toEqual([commands, linesOf(shown)]);
  }
}, 180_000);
