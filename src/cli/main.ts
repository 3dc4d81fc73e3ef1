import { lazy } from "../domain/lazy.ts";
import { OperatorError } from "../domain/operator-error.ts";
import { StoreUnavailable } from "../store/store.ts";

const EXIT_FAILED = 1;

const loadServe = lazy(() => import("./serve.ts"));
const loadReady = lazy(() => import("./ready.ts"));
const loadProgram = lazy(() => import("./program.ts"));

try {
  const command = process.argv.slice(2).join(" ");
  // These two need no option parser, which would add 5 ms: to a start of 13, and to what runs every few seconds.
  if (command === "serve") await (await loadServe()).serve();
  else if (command === "ready") await (await loadReady()).ready();
  else await (await loadProgram()).runProgram();
} catch (error) {
  reportFailure(error);
  // At once: connections that are being given up would keep the process running for seconds.
  for (const stream of [process.stdout, process.stderr])
    await new Promise<unknown>((resolve) => stream.write("", resolve));
  process.exit(EXIT_FAILED);
}

/** Only a failure that nobody foresaw shows its stack trace. */
function reportFailure(error: unknown): void {
  if (error instanceof OperatorError) console.error(`animal-store: ${error.message}`);
  else if (error instanceof StoreUnavailable)
    console.error(`animal-store: the database is unavailable: ${error.message}`);
  else console.error(error);
}
