import { OperatorError } from "../base/operator-error.ts";
import { StoreUnavailable } from "../store/ports/store.ts";
import { noteWithoutEnd, OutputClosed } from "./terminal/stdout.ts";

const EXIT_FAILED = 1;
/** The exit code that a shell reports for a program ended by SIGPIPE. */
const EXIT_OUTPUT_CLOSED = 141;

try {
  const command = process.argv.slice(2).join(" ");
  // These two do without the option parser, which takes 5 ms: a start takes 13, and a health check runs every few seconds.
  if (command === "serve") await (await import("./serve.ts")).serve();
  else if (command === "ready") await (await import("./ready.ts")).ready();
  else {
    // The build holds the compiler back, which only short runs gain from.
    Bun.unsafe.setJITPolicy(1);
    await (await import("./program.ts")).runProgram();
  }
} catch (error) {
  await reportFailure(error);
  // Connections that are being closed would keep the process running for seconds.
  process.exit(error instanceof OutputClosed ? EXIT_OUTPUT_CLOSED : EXIT_FAILED);
}

/** Only an unforeseen failure shows its stack trace. */
async function reportFailure(error: unknown): Promise<void> {
  if (error instanceof OutputClosed) return;
  // note() would do, but takes time to load.
  const say = (text: string) => noteWithoutEnd(`${text}\n`);
  if (error instanceof OperatorError) say(`animal-store: ${(await import("./remedies.ts")).textOfFailure(error)}`);
  else if (error instanceof StoreUnavailable) say(`animal-store: the database is unavailable: ${error.message}`);
  else say(Bun.inspect(error));
}
