import { Command, CommanderError, Help } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { withoutPasswords } from "../base/text/redact.ts";
import { suggest } from "../base/text/suggest.ts";
import { addExamples } from "./arguments/examples.ts";
import { didYouMean } from "./arguments/options.ts";
import { warnOfMisspelt } from "./inspect/config.ts";
import { ownCommand } from "./own-command.ts";
import { painted } from "./terminal/colour.ts";
import { noteWithoutEnd, write } from "./terminal/stdout.ts";

const EXIT_MISUSED = 2;
/** Commands that report misspelt settings in their own way. */
const REPORTS_SETTINGS = ["serve", "config", "doctor", "complete"];

/** Commands that print nothing that a script would want as JSON, and groups of commands. */
const WITHOUT_JSON = ["serve", "completion", "complete", "keys", "animals", "categories", "orders"];

type AddCommand = (program: Command) => void;

/**
 * All commands by name, in the groups of the help. Only the module of the one that is called is loaded: all of them,
 * with the service and both databases, take longer than most commands run.
 */
const GROUPS: readonly (readonly [title: string, commands: Readonly<Record<string, () => Promise<AddCommand>>>])[] = [
  [
    "The service",
    {
      serve: async () => (await import("./serve.ts")).addServe,
      ready: async () => (await import("./ready.ts")).addReady,
      instances: async () => (await import("./inspect/instances.ts")).addInstances,
      console: async () => (await import("./console.ts")).addConsole,
    },
  ],
  [
    "Keys and their requests",
    {
      keys: async () => (await import("./keys/index.ts")).addKeys,
      usage: async () => (await import("./keys/usage.ts")).addUsage,
      requests: async () => (await import("./inspect/requests.ts")).addRequests,
      top: async () => (await import("./inspect/top.ts")).addTop,
      plans: async () => (await import("./inspect/plans.ts")).addPlans,
    },
  ],
  [
    "Animals and orders",
    {
      animals: async () => (await import("./animals/index.ts")).addAnimals,
      categories: async () => (await import("./stock/categories.ts")).addCategories,
      orders: async () => (await import("./stock/orders.ts")).addOrders,
    },
  ],
  [
    "What happened, and what is wrong",
    {
      journal: async () => (await import("./inspect/journal.ts")).addJournal,
      doctor: async () => (await import("./inspect/doctor.ts")).addDoctor,
      config: async () => (await import("./inspect/config.ts")).addConfig,
    },
  ],
  [
    "The database",
    {
      migrate: async () => (await import("./database/migrate.ts")).addMigrate,
      backup: async () => (await import("./database/backup.ts")).addBackup,
      restore: async () => (await import("./database/restore.ts")).addRestore,
      copy: async () => (await import("./database/copy.ts")).addCopy,
    },
  ],
  [
    "This program",
    {
      completion: async () => (await import("./arguments/completion.ts")).addCompletion,
      version: async () => (await import("./inspect/version.ts")).addVersion,
    },
  ],
];

const EXAMPLES = [
  ["serve", "run the service"],
  ["console", "a link that signs a browser in to it"],
  ["keys create --name Storefront --plan pro", "a key, whose secret is shown once"],
  ["orders list --status placed", "orders that wait for an approval"],
] as const;

/** The program with the command of this name alone; with all of them if none has this name. */
export async function createProgram(called?: string): Promise<Command> {
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
  const isKnown = GROUPS.some(([, commands]) => called !== undefined && Object.hasOwn(commands, called));
  for (const [title, commands] of GROUPS) {
    program.commandsGroup(`${title}:`);
    for (const [name, load] of Object.entries(commands)) if (!isKnown || name === called) (await load())(program);
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
    const [first, ...names] = process.argv.slice(2);
    const program = await createProgram(first);
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
