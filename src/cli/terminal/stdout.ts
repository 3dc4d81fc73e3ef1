import { fstatSync, statSync, writeSync } from "node:fs";
import { OperatorError } from "../../base/operator-error.ts";
import { harmless } from "../../base/text/text.ts";

// Output is written synchronously, so that a failure is noticed: a stream would report it later, if at all.

/** The reader of standard output is gone, as with `| head`: the command ends silently. */
export class OutputClosed extends Error {
  override readonly name = "OutputClosed";
}

const STDOUT = 1;
const STDERR = 2;
const RETRY_AFTER_MS = 5;

/** Writes all of a text to standard output. Fails with OutputClosed, or with an OperatorError. */
export function write(text: string): void {
  try {
    writeAll(STDOUT, text);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "EPIPE") throw new OutputClosed();
    throw new OperatorError(`cannot write to standard output: ${message}`);
  }
}

/** Writes a remark to standard error, and never fails. Names that it quotes cannot command the terminal. */
export function noteWithoutEnd(text: string): void {
  drawOnTerminal(text.split("\n").map(harmless).join("\n"));
}

/** Writes to standard error with escape sequences, and never fails. */
export function drawOnTerminal(text: string): void {
  try {
    writeAll(STDERR, text);
  } catch {}
}

function writeAll(descriptor: number, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0)
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN") throw error;
      // A non-blocking pipe is full: another program may have set it so.
      Bun.sleepSync(RETRY_AFTER_MS);
    }
}

/** Writes a secret, which must not exist if nobody can read it. Fails with an OperatorError. */
export function writeSecret(text: string): void {
  try {
    if (isNowhere()) throw new OperatorError("standard output is closed, or is /dev/null");
    write(text);
  } catch (error) {
    const reason = error instanceof OutputClosed ? "nobody reads standard output any more" : (error as Error).message;
    throw new OperatorError(`the secret cannot be printed, so nothing was changed: ${reason}`);
  }
}

const END_OF_JSON = "\n}";

/** Writes a secret as JSON without its end, which follows once the secret works. */
export const writeSecretJson = (value: object): void =>
  writeSecret(JSON.stringify(value, null, 2).slice(0, -END_OF_JSON.length));

export const writeEndOfJson = (): void => write(`${END_OF_JSON}\n`);

/** A file descriptor that was closed before this program began is /dev/null to it. */
function isNowhere(): boolean {
  const output = fstatSync(STDOUT);
  return output.isCharacterDevice() && output.rdev === statSync("/dev/null").rdev;
}
