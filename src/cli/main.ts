import { OperatorError } from "../domain/fault.ts";
import { StoreUnavailable } from "../store/store.ts";

const EXIT_FAILED = 1;

try {
  // What runs the service needs no parser of options, which would take as long as the whole start.
  if (process.argv.slice(2).join(" ") === "serve") await (await import("./serve.ts")).serve();
  else await (await import("./program.ts")).runProgram();
} catch (error) {
  tell(error);
  process.exitCode = EXIT_FAILED;
}

/** What nobody foresaw keeps its stack trace. */
function tell(error: unknown): void {
  if (error instanceof OperatorError) console.error(`animal-store: ${error.message}`);
  else if (error instanceof StoreUnavailable)
    console.error(`animal-store: the database cannot do this now: ${error.message}`);
  else console.error(error);
}
