import { Command, CommanderError, Help } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { withoutPasswords } from "../base/text/redact.ts";
import { suggest } from "../base/text/suggest.ts";
import { addAnimals } from "./animals/index.ts";
import { addCompletion } from "./arguments/completion.ts";
import { addExamples } from "./arguments/examples.ts";
import { didYouMean } from "./arguments/options.ts";
import { addConsole } from "./console.ts";
import { addBackup } from "./database/backup.ts";
import { addCopy } from "./database/copy.ts";
import { addMigrate } from "./database/migrate.ts";
import { addRestore } from "./database/restore.ts";
import { addConfig, warnOfMisspelt } from "./inspect/config.ts";
import { addDoctor } from "./inspect/doctor.ts";
import { addInstances } from "./inspect/instances.ts";
import { addJournal } from "./inspect/journal.ts";
import { addPlans } from "./inspect/plans.ts";
import { addRequests } from "./inspect/requests.ts";
import { addTop } from "./inspect/top.ts";
import { addVersion } from "./inspect/version.ts";
import { addKeys } from "./keys/index.ts";
import { addUsage } from "./keys/usage.ts";
import { ownCommand } from "./own-command.ts";
import { addReady } from "./ready.ts";
import { addServe } from "./serve.ts";
import { addCategories } from "./stock/categories.ts";
import { addOrders } from "./stock/orders.ts";
import { painted } from "./terminal/colour.ts";
import { noteWithoutEnd, write } from "./terminal/stdout.ts";

const EXIT_MISUSED = 2;
/** Commands that report misspelt settings in their own way. */
const REPORTS_SETTINGS = ["serve", "config", "doctor", "complete"];

/** Commands that print nothing that a script would want as JSON, and groups of commands. */
const WITHOUT_JSON = ["serve", "completion", "complete", "keys", "animals", "categories", "orders"];

/** All commands, in the groups of the help. */
const GROUPS: readonly (readonly [title: string, commands: readonly ((program: Command) => void)[]])[] = [
  ["The service", [addServe, addReady, addInstances, addConsole]],
  ["Keys and their requests", [addKeys, addUsage, addRequests, addTop, addPlans]],
  ["Animals and orders", [addAnimals, addCategories, addOrders]],
  ["What happened, and what is wrong", [addJournal, addDoctor, addConfig]],
  ["The database", [addMigrate, addBackup, addRestore, addCopy]],
  ["This program", [addCompletion, addVersion]],
];

const EXAMPLES = [
  ["serve", "run the service"],
  ["console", "a link that signs a browser in to it"],
  ["keys create --name Storefront --plan pro", "a key, whose secret is shown once"],
  ["orders list --status placed", "orders that wait for an approval"],
] as const;

export function createProgram(): Command {
  const program = new Command("animal-store")
    .description(`${manifest.description}.`)
    .version(manifest.version, "-v, --version", "print the version")
    .configureOutput({ writeOut: write, writeErr: (text) => noteWithoutEnd(withoutPasswords(text)) })
    .configureHelp({ commandUsage, styleTitle: (title) => painted(title, "strong") })
    .showHelpAfterError("(add --help for usage)")
    .exitOverride()
    .hook("preAction", (_, command) => {
      if (!REPORTS_SETTINGS.includes(command.name())) warnOfMisspelt();
    });
  for (const [title, commands] of GROUPS) {
    program.commandsGroup(`${title}:`);
    for (const add of commands) add(program);
  }
  addExamples(program, EXAMPLES);
  for (const command of everyCommand(program)) {
    command.copyInheritedSettings(command.parent as Command).allowExcessArguments(false);
    if (!WITHOUT_JSON.includes(command.name())) command.option("--json", "print JSON, for scripts");
  }
  // Afterwards, or the commands would inherit the group of their own help.
  program.helpCommand(true);
  return program;
}

/** The usage of a command, as users can paste it into a shell. */
const commandUsage = (command: Command): string =>
  ownCommand(new Help().commandUsage(command).slice("animal-store ".length));

/** Runs the command of the arguments. Sets the exit code if it is misused; every other failure is thrown. */
export async function runProgram(): Promise<void> {
  try {
    const program = createProgram();
    const [first, ...names] = process.argv.slice(2);
    if (first === "help" && names.length > 1) helpOn(program, names);
    await program.parseAsync();
  } catch (error) {
    // Commander has already printed what was wrong.
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_MISUSED;
  }
}

/** Commander itself reads only the first name. */
function helpOn(program: Command, names: readonly string[]): never {
  let command = program;
  for (const name of names) {
    const known = command.commands.map((each) => each.name());
    const found = command.commands[known.indexOf(name)];
    if (!found) return command.error(`error: unknown command '${name}'.${didYouMean(suggest(name, known))}`);
    command = found;
  }
  return command.help();
}

export function* everyCommand(parent: Command): Generator<Command> {
  for (const command of parent.commands) {
    yield command;
    yield* everyCommand(command);
  }
}
