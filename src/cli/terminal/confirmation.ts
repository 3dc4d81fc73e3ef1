import type { Command } from "commander";
import { note } from "./print.ts";
import { noteWithoutEnd } from "./stdout.ts";
import { EXIT_INTERRUPTED, STOP_SIGNALS } from "./stop-signals.ts";

// Commands that cannot be undone ask on a terminal first. Scripts give --yes, so that none of them does it by mistake.

export interface YesOption {
  readonly yes?: true;
}

/** Declares --yes. */
export const addYes = (command: Command): Command =>
  command.option("--yes", "do not ask; required where there is no terminal to ask on");

/** Says what will be lost (undefined: nothing), and asks. False: nothing may be changed, and the operator was told so. */
export type Confirm = (loss: string | undefined) => Promise<boolean>;

/** To be called before anything is done: where there is nobody to ask, a command without --yes is misused. */
export function confirmation({ yes }: YesOption, command: Command): Confirm {
  if (yes) return async () => true;
  if (hasTerminal()) return async (loss) => loss === undefined || ask(loss);
  return command.error("error: there is no terminal to ask on, so nothing was changed: give --yes to do it unasked");
}

/** A question in a file would be waited for, and not be seen. */
function hasTerminal(): boolean {
  const { isatty } = process.getBuiltinModule("node:tty");
  return isatty(0) && isatty(2);
}

const EXIT_DECLINED = 1;

async function ask(loss: string): Promise<boolean> {
  // Before the question can be read, so that the quickest Ctrl+C is an answer.
  const line = nextLine();
  noteWithoutEnd(`${loss}\nGo on? [y/N] `);
  const answer = await line;
  if (answer !== undefined && /^y(es)?$/i.test(answer.trim())) return true;
  note(`${answer === undefined ? "\n" : ""}animal-store: nothing was changed`);
  process.exitCode = answer === undefined ? EXIT_INTERRUPTED : EXIT_DECLINED;
  return false;
}

/** Reads a line of input. Undefined: Ctrl+C, Ctrl+D, or a signal. It leaves the terminal's settings alone. */
function nextLine(): Promise<string | undefined> {
  const { stdin } = process;
  return new Promise<string | undefined>((resolve) => {
    const take = (bytes: Buffer): void => end(bytes.toString());
    const stop = (): void => end(undefined);
    const end = (answer: string | undefined): void => {
      stdin.off("data", take).off("end", stop).pause();
      for (const name of STOP_SIGNALS) process.off(name, stop);
      resolve(answer);
    };
    stdin.on("data", take).on("end", stop);
    for (const name of STOP_SIGNALS) process.on(name, stop);
  });
}
