import type { Command } from "commander";
import { terminalWidth } from "./print.ts";

type Item = readonly [term: string, meaning: string];

/** Sentences and items for the end of a command's help, wrapped to the terminal as the rest is. A pipe gets long lines. */
export function helpFor(command: Command) {
  const help = Object.assign(command.createHelp(), { minWidthToWrap: 20 });
  const width = terminalWidth() ?? Number.POSITIVE_INFINITY;
  help.prepareContext({ helpWidth: width });
  return {
    sentence: (text: string): string => help.boxWrap(text, width),
    items(items: readonly Item[]): string {
      const termWidth = Math.max(...items.map(([term]) => term.length));
      return items.map(([term, meaning]) => help.formatItem(term, termWidth, meaning, help)).join("\n");
    },
  };
}
