import { expect, test } from "bun:test";
import type { Command } from "commander";
import { createProgram, everyCommand } from "./program.ts";

/** Commands that print nothing that a script would want as JSON, and why. */
const WITHOUT_JSON: Readonly<Record<string, string>> = {
  serve: "it runs until it is stopped, and its log is JSON",
  completion: "it prints a script",
  complete: "only the scripts of completion call it",
};

const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

const commands = [...everyCommand(await createProgram())].filter(({ commands }) => commands.length === 0);

test("every command that prints something has --json, and says so in the same words", () => {
  expect(commands.length).toBeGreaterThan(15);
  for (const command of commands) {
    const json = command.options.find(({ long }) => long === "--json");
    const expected = nameOf(command) in WITHOUT_JSON ? undefined : "print JSON, for scripts";
    expect([nameOf(command), json?.description]).toEqual([nameOf(command), expected]);
  }
});

test("every command and every option has a description", async () => {
  for (const command of everyCommand(await createProgram())) {
    expect([nameOf(command), command.description()]).toEqual([nameOf(command), expect.stringMatching(/^[A-Z].*\.$/s)]);
    for (const { flags, description } of command.options)
      expect([nameOf(command), flags, description]).toEqual([nameOf(command), flags, expect.stringMatching(/\S/)]);
  }
});

test("the program has only the command that is called, or all if there is none of this name", async () => {
  const namesFor = async (called?: string) => (await createProgram(called)).commands.map((command) => command.name());
  const all = await namesFor();
  expect(await namesFor("key")).toEqual(all);
  for (const name of all.filter((each) => each !== "completion" && each !== "complete"))
    expect(await namesFor(name)).toEqual([name]);
  expect(await namesFor("completion")).toEqual(["completion", "complete"]);
  expect(await namesFor("complete")).toEqual(all);
});
