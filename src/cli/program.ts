import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { addBackup } from "./backup.ts";
import { addCopy } from "./copy.ts";
import { addDoctor } from "./doctor.ts";
import { addKeys } from "./keys.ts";
import { addMigrate } from "./migrate.ts";
import { addPlans } from "./plans.ts";
import { addReady } from "./ready.ts";
import { addServe } from "./serve.ts";

const EXIT_MISUSED = 2;

/** All commands. Sets the exit code when one is misused; every other failure is thrown. */
export async function runProgram(): Promise<void> {
  const program = new Command("animal-store")
    .description(`${manifest.description}.`)
    .version(manifest.version)
    .showHelpAfterError("(add --help for usage)")
    .exitOverride();
  addServe(program);
  addReady(program);
  addKeys(program);
  addPlans(program);
  addMigrate(program);
  addBackup(program);
  addCopy(program);
  addDoctor(program);
  for (const command of everyCommand(program))
    command.copyInheritedSettings(command.parent as Command).allowExcessArguments(false);

  try {
    await program.parseAsync();
  } catch (error) {
    // Commander has already printed what was wrong.
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_MISUSED;
  }
}

function* everyCommand(parent: Command): Generator<Command> {
  for (const command of parent.commands) {
    yield command;
    yield* everyCommand(command);
  }
}
