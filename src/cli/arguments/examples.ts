import type { Command } from "commander";
import { ownCommand } from "../own-command.ts";
import { painted } from "../terminal/colour.ts";

/** A command line without the name of the program, and what it is good for. */
type Example = readonly [line: string, meaning: string];

/** Ends the help of a command with lines that can be pasted into a shell, each below its meaning as a comment. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  command.addHelpText("after", () => {
    const lines = examples.flatMap(([line, meaning]) => [painted(`  # ${meaning}`, "quiet"), `  ${ownCommand(line)}`]);
    return `\n${painted("Examples:", "strong")}\n${lines.join("\n")}`;
  });
}
