import { atEndOfTurn } from "../../base/time/turn.ts";
import type { Log } from "../../telemetry/log.ts";

/** A line for another thread to log: a level, and the arguments of pino. */
export interface ForwardedLine {
  readonly method: keyof Log;
  readonly args: readonly unknown[];
}

/** A log whose lines another thread writes. Sends those of one turn of the event loop together. */
export function forwardedLog(send: (lines: readonly ForwardedLine[]) => void) {
  let lines: ForwardedLine[] = [];
  /** Sends all lines now, before a thread ends. */
  const flush = (): void => {
    const sent = lines;
    lines = [];
    if (sent.length === 0) return;
    try {
      send(sent);
    } catch (error) {
      send([{ method: "error", args: [sendable({ err: error }), `${sent.length} lines of the log cannot be sent`] }]);
    }
  };
  const forward =
    (method: keyof Log) =>
    (...args: unknown[]): void => {
      if (lines.push({ method, args: args.map(sendable) }) === 1) atEndOfTurn(flush);
    };
  return { info: forward("info"), warn: forward("warn"), error: forward("error"), flush };
}

/** The logged parts of an error: others may not be cloneable. */
interface PlainError {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: PlainError | undefined;
  readonly fields: object;
}

function sendable(arg: unknown): unknown {
  if (typeof arg !== "object" || arg === null || !("err" in arg)) return arg;
  const { err, ...rest } = arg;
  return err instanceof Error ? { ...rest, plainError: plainError(err) } : { ...rest, err: String(err) };
}

function plainError(error: Error): PlainError {
  const { name, message, stack, cause } = error;
  return {
    type: error.constructor?.name || name,
    message,
    stack,
    cause: cause instanceof Error ? plainError(cause) : undefined,
    fields: Object.fromEntries(Object.entries(error).filter(([, value]) => isPlain(value))),
  };
}

const isPlain = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

export function logForwarded(log: Log, lines: readonly ForwardedLine[]): void {
  for (const { method, args } of lines) (log[method] as (...args: unknown[]) => void)(...args.map(received));
}

function received(arg: unknown): unknown {
  if (typeof arg !== "object" || arg === null || !("plainError" in arg)) return arg;
  const { plainError, ...rest } = arg;
  return { err: errorFrom(plainError as PlainError), ...rest };
}

/** Makes an error that pino logs under its original type. */
function errorFrom({ type, message, stack, cause, fields }: PlainError): Error {
  const error = new Error(message, cause && { cause: errorFrom(cause) });
  if (stack) error.stack = stack;
  return Object.defineProperties(Object.assign(error, fields), {
    name: { value: type },
    constructor: { value: undefined },
  });
}
