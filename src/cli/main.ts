import { lazy } from "../domain/lazy.ts";
import { OperatorError } from "../domain/operator-error.ts";
import { StoreUnavailable } from "../store/store.ts";

const EXIT_FAILED = 1;

const loadServe = lazy(() => import("./serve.ts"));
const loadProgram = lazy(() => import("./program.ts"));

try {
  // Serving needs no option parser, which would add 5 ms to a start of 13.
  if (process.argv.slice(2).join(" ") === "serve") await (await loadServe()).serve();
  else await (await loadProgram()).runProgram();
} catch (error) {
  reportFailure(error);
  process.exitCode = EXIT_FAILED;
}

/** Only a failure that nobody foresaw shows its stack trace. */
function reportFailure(error: unknown): void {
  if (error instanceof OperatorError) console.error(`animal-store: ${error.message}`);
  else if (error instanceof StoreUnavailable)
    console.error(`animal-store: the database is unavailable: ${error.message}`);
  else console.error(error);
}
