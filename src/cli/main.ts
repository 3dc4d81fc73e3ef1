import { lazy } from "../base/lazy.ts";
import { OperatorError } from "../base/operator-error.ts";
import { StoreUnavailable } from "../store/ports/store.ts";
import { noteWithoutEnd, OutputClosed } from "./terminal/stdout.ts";

const EXIT_FAILED = 1;
/** As a shell reports a program that SIGPIPE has ended, which others are. */
const EXIT_OUTPUT_CLOSED = 141;

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
  process.exit(error instanceof OutputClosed ? EXIT_OUTPUT_CLOSED : EXIT_FAILED);
}

/** Only a failure that nobody foresaw shows its stack trace. */
function reportFailure(error: unknown): void {
  if (error instanceof OutputClosed) return;
  if (error instanceof OperatorError) say(`animal-store: ${error.message}`);
  else if (error instanceof StoreUnavailable) say(`animal-store: the database is unavailable: ${error.message}`);
  else say(Bun.inspect(error));
}

/** As note() does, which would be loaded for nothing by most. */
function say(text: string): void {
  noteWithoutEnd(`${text}\n`);
}
