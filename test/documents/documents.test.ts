import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { SETTINGS } from "../../src/config.ts";
import { PLANS } from "../../src/domain/keys/plan.ts";
import { FAULT_CODES, FAULTS } from "../../src/http/faults/fault.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { run } from "../harness/program/program.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (name: string): Promise<string> => Bun.file(join(ROOT, name)).text();

const DOCUMENTS = new Map<string, string>();
for (const pattern of ["*.md", "docs/*.md", "client/*.md"])
  for (const file of new Bun.Glob(pattern).scanSync({ cwd: ROOT })) DOCUMENTS.set(file, await read(file));

/** The rows of all tables in a document, each as its cells. */
const rowsOf = (file: string): string[][] =>
  (DOCUMENTS.get(file) ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

test("docs/settings.md has every setting with its default and its meaning", () => {
  for (const [name, { fallback, meaning }] of Object.entries(SETTINGS))
    expect(rowsOf("docs/settings.md")).toContainEqual([
      `\`${name}\``,
      fallback === "" ? "" : `\`${fallback}\``,
      meaning,
    ]);
});

test("docs/api.md has every plan with its quotas", () => {
  for (const [plan, quotas] of Object.entries(PLANS)) {
    const shown = quotas
      ? [quotas.perMinute, quotas.perDay].map((quota) => quota.toLocaleString("en-US"))
      : ["custom", "custom"];
    expect(rowsOf("docs/api.md")).toContainEqual([plan, ...shown]);
  }
});

test("docs/api.md has every error code with its status", () => {
  const shown = rowsOf("docs/api.md").map(([code, status]) => `${code} ${status}`);
  expect(FAULT_CODES.map((code) => `\`${code}\` ${FAULTS[code][0]}`).filter((row) => !shown.includes(row))).toEqual([]);
});

describe("commands", () => {
  const FAMILIES = ["keys", "animals", "categories", "orders"];
  const cwd = temporaryFolder();
  const helpOf = async (...command: string[]): Promise<string> => (await run([...command, "--help"], { cwd })).out;
  /** The name of a command at the beginning of a text; what comes behind one that is no family is an argument. */
  const nameIn = (text: string): string => new RegExp(`^(?:(?:${FAMILIES.join("|")}) )?[a-z]+`).exec(text)?.[0] ?? "";
  const table = rowsOf("docs/commands.md").flatMap(([cell = ""]) => {
    const [first = "", ...others] = [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
    const family = FAMILIES.find((name) => first.startsWith(`${name} `));
    return [first, ...others.map((other) => (family && !nameIn(other).includes(" ") ? `${family} ${other}` : other))];
  });

  test("docs/commands.md has every one that there is", async () => {
    const groups = await Promise.all(
      ["", ...FAMILIES].map(async (family) => {
        const help = await helpOf(...family.split(" ").filter(Boolean));
        const names = [...(help.split("\nExamples:\n")[0] ?? "").matchAll(/^ {2}([a-z]+)/gm)].map(
          ([, name = ""]) => name,
        );
        return names.map((name) => `${family} ${name}`.trim());
      }),
    );
    const commands = groups.flat().filter((name) => !name.endsWith("help") && !FAMILIES.includes(name));
    expect(commands.length).toBeGreaterThan(20);
    expect(commands.filter((name) => !table.some((cell) => nameIn(cell) === name || cell === name))).toEqual([]);
  });

  test("documents name only those that there are", async () => {
    const named = [...DOCUMENTS.values()].flatMap((text) =>
      [...text.matchAll(/(?:npx |[$`] ?)animal-store ([a-z]+(?: [a-z]+)?)/g)].map(([, command = ""]) => command),
    );
    const commands = new Set([...named, ...table].map(nameIn).filter(Boolean));
    expect(commands.size).toBeGreaterThan(20);
    for (const command of commands)
      expect(await helpOf(...command.split(" "))).toContain(`Usage: animal-store ${command}`);
  });

  test("are written as they work after npm ci, in documents and on pages, but where only the executable is", async () => {
    const texts = new Map([...DOCUMENTS].filter(([file]) => !/ARCHITECTURE|CHANGELOG|decisions/.test(file)));
    for (const pattern of ["src/http/pages/**/*.html", "{src/console,console}/**/*.{ts,tsx,html}"])
      for (const file of new Bun.Glob(pattern).scanSync({ cwd: ROOT })) texts.set(file, await read(file));
    const lines = [...texts].flatMap(([file, text]) =>
      text
        .replace(/^## A single executable$.*?(?=^## )/ms, "")
        .split("\n")
        .map((line) => `${file}: ${line}`),
    );
    const commands = [...new Set(table.map((cell) => nameIn(cell).split(" ")[0]))].filter(
      (name) => name && name !== "completion",
    );
    const bare = new RegExp(`(?<!npx |[\\w/.-])animal-store (?:${commands.join("|")})\\b`);
    expect(lines.filter((line) => line.includes("npx animal-store")).length).toBeGreaterThan(50);
    expect(lines.filter((line) => bare.test(line) && !/kubectl|docker|sudo/.test(line))).toEqual([]);
  });

  test("documents name only scripts that package.json has", () => {
    const named = [...DOCUMENTS.values()].flatMap((text) =>
      [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, script]) => script),
    );
    expect(named.filter((script) => !Object.keys(manifest.scripts).includes(script ?? ""))).toEqual([]);
  });
});

test("every dependency is pinned exactly, and docs/decisions.md gives its reason", async () => {
  const decisions = await read("docs/decisions.md");
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    expect(version).toMatch(/^(?:npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/);
    expect(decisions).toContain(`\`${name}\``);
  }
});
