import { expect, test } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";

const ROOT = join(import.meta.dir, "../..");
const SCRIPT = join(ROOT, "scripts/install-first.cjs");

/** A clone, before anything is installed. */
function newClone(): string {
  const cwd = temporaryFolder();
  for (const name of ["package.json", "package-lock.json", "scripts", "bin", "tsconfig.json"])
    cpSync(join(ROOT, name), join(cwd, name), { recursive: true });
  return cwd;
}

async function spawn(cwd: string, ...command: string[]): Promise<{ exitCode: number; err: string }> {
  // A bun elsewhere on the machine does not replace the one to be installed.
  const PATH = (process.env.PATH ?? "")
    .split(":")
    .filter((folder) => !folder.includes("node_modules"))
    .join(":");
  const child = Bun.spawn(command, { cwd, env: { PATH, HOME: cwd }, stdout: "ignore", stderr: "pipe" });
  return { err: await new Response(child.stderr).text(), exitCode: await child.exited };
}

test.each(["start", "test", "run build", "run check"])(
  "npm %s before npm ci says what to do, in one line",
  async (script) => {
    const { exitCode, err } = await spawn(newClone(), "npm", "--silent", ...script.split(" "));
    expect([exitCode, err]).toEqual([1, "animal-store: its packages are not installed: run npm ci first\n"]);
  },
);

test("the command itself says so too", async () => {
  const { exitCode, err } = await spawn(newClone(), "node", "bin/animal-store.js", "plans");
  expect([exitCode, err]).toEqual([1, "animal-store: cannot start: Bun is not installed. Run npm ci first.\n"]);
});

test("an old Node is named as the cause", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "old"));
  const old = join(cwd, "old/node.cjs");
  writeFileSync(old, 'Object.defineProperty(process, "versions", { value: { node: "18.20.4" } });');
  const { exitCode, err } = await spawn(cwd, "node", "--require", old, SCRIPT);
  expect([exitCode, err]).toEqual([
    1,
    "animal-store: Node 20 or newer is needed, and this is 18.20.4: install it, then run npm ci\n",
  ]);
});
