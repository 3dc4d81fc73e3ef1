import type { Logger, LoggerOptions } from "pino";
import { lazy } from "../base/lazy.ts";
import { type Output, openOutput } from "./output.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The methods of pino that are used here. */
export type Log = Pick<Logger, "info" | "warn" | "error">;

export interface FailureLog {
  /** Logs a failure, unless one with the same cause was logged a moment ago: then it is only counted. */
  report(message: string, error: unknown, fields?: object): void;
}

/** The log line of a refused request. */
export interface RefusalLine {
  readonly code: string;
  /** Tells apart the reasons that share one code. */
  readonly reason?: string | undefined;
  readonly address: string;
  readonly keyId: string | undefined;
  /** Further fields of this request. */
  readonly request: object;
}

export interface RefusalLog {
  /** `subject`: the key or address that was refused. `line` is called only if the line is logged. */
  report(code: string, subject: string, line: () => RefusalLine): void;
  /** Counts a refused request, and returns whether it may have a line of its own where every request has one. */
  mayLogEach(): boolean;
  /** Logs the refusals that were only counted so far. */
  close(): void;
}

export interface ServiceLog extends Log {
  /** Resolves when every line so far is written, or nobody reads them. */
  flush(): Promise<void>;
}

/** Loading pino takes 6 ms, a good part of a start, so it waits until the first requests are answered. */
const LOAD_DELAY_MS = 50;

/** Fields that every line has. */
export type LogFields = Readonly<Record<string, string>>;

interface Line {
  readonly method: keyof Log;
  readonly args: unknown[];
  readonly atMs: number;
}

/**
 * Logs to standard error: JSON, or readable lines on a terminal. Lines are buffered until pino is loaded.
 * Nothing waits for a slow reader: lines are buffered for it up to a limit, and counted beyond that.
 */
export function createLog(level: LogLevel, fields: LogFields = {}): ServiceLog {
  const output = openOutput(2, (dropped) => self.warn({ dropped }, "log lines were dropped: nobody read them in time"));
  const buffered: Line[] = [];
  let logger: Logger | undefined;
  let lineAtMs = 0;

  const load = lazy(async () => {
    const opened = await openPino(level, output, () => lineAtMs, fields);
    logger = opened;
    for (const line of buffered.splice(0)) write(opened, line);
  });
  const write = (to: Logger, { method, args, atMs }: Line): void => {
    lineAtMs = atMs;
    (to[method] as (...args: unknown[]) => void)(...args);
    if (method !== "info") output.writeNow();
  };
  const log =
    (method: keyof Log) =>
    (...args: unknown[]): void => {
      if (level === "silent") return;
      const line = { method, args, atMs: Date.now() };
      if (logger) write(logger, line);
      else if (buffered.push(line) === 1) setTimeout(load, LOAD_DELAY_MS);
    };

  const self: ServiceLog = {
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    flush: async () => {
      if (buffered.length > 0) await load();
      await output.flush();
    },
  };
  return self;
}

/** A line looks like this: `{"level":"info","time":"2026-11-16T09:30:00.000Z",…}`. */
export const lineOptions = (level: LogLevel, nowMs: () => number, fields: LogFields = {}): LoggerOptions => ({
  level,
  base: { pid: process.pid, hostname: process.getBuiltinModule("node:os").hostname(), ...fields },
  formatters: { level: (name) => ({ level: name }) },
  timestamp: () => `,"time":"${new Date(nowMs()).toISOString()}"`,
});

async function openPino(level: LogLevel, output: Output, lineAtMs: () => number, fields: LogFields): Promise<Logger> {
  const { pino } = await import("pino");
  const options = lineOptions(level, lineAtMs, fields);
  if (!process.getBuiltinModule("node:tty").isatty(2)) return pino(options, output);
  const { prettyFactory } = await import("pino-pretty");
  const readable = prettyFactory({ ignore: "pid,hostname", singleLine: true });
  return pino(options, { write: (line: string) => output.write(readable(line)) });
}
