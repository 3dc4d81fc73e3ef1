import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { OperatorError } from "../domain/fault.ts";
import { StoreUnavailable } from "../store/store.ts";
import { addBackup } from "./backup.ts";
import { addCopy } from "./copy.ts";
import { addKeys } from "./keys.ts";
import { addPlans } from "./plans.ts";
import { addServe } from "./serve.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const program = new Command("animal-store")
  .description(`${manifest.description}.`)
  .version(manifest.version)
  .showHelpAfterError("(--help shows what there is)")
  .exitOverride();

addServe(program);
addKeys(program);
addPlans(program);
addBackup(program);
addCopy(program);
for (const command of everyCommand(program))
  command.copyInheritedSettings(command.parent as Command).allowExcessArguments(false);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function* everyCommand(parent: Command): Generator<Command> {
  for (const command of parent.commands) {
    yield command;
    yield* everyCommand(command);
  }
}

/** Commander has printed its own mistakes already. What nobody foresaw keeps its stack trace. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof OperatorError) console.error(`animal-store: ${error.message}`);
  else if (error instanceof StoreUnavailable)
    console.error(`animal-store: the database cannot do this now: ${error.message}`);
  else console.error(error);
  return EXIT_FAILED;
}
