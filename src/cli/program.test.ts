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

const commands = [...everyCommand(createProgram())].filter(({ commands }) => commands.length === 0);

test("every command that prints something has --json, and says so in the same words", () => {
  expect(commands.length).toBeGreaterThan(15);
  for (const command of commands) {
    const json = command.options.find(({ long }) => long === "--json");
    const expected = nameOf(command) in WITHOUT_JSON ? undefined : "print JSON, for scripts";
    expect([nameOf(command), json?.description]).toEqual([nameOf(command), expected]);
  }
});

test("every command and every option has a description", () => {
  for (const command of everyCommand(createProgram())) {
    expect([nameOf(command), command.description()]).toEqual([nameOf(command), expect.stringMatching(/^[A-Z].*\.$/s)]);
    for (const { flags, description } of command.options)
      expect([nameOf(command), flags, description]).toEqual([nameOf(command), flags, expect.stringMatching(/\S/)]);
  }
});
