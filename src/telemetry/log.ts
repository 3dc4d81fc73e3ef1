import type { Logger } from "pino";
import { lazy } from "../domain/lazy.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The methods of pino that are used here. */
export type Log = Pick<Logger, "info" | "warn" | "error">;

export interface ServiceLog extends Log {
  /** Resolves when every line so far is written. */
  flush(): Promise<void>;
}

/** How much is held back while the log cannot be written. */
const UNWRITTEN_MAX_CHARACTERS = 1_000_000;
/** Loading pino takes 6 ms, a good part of a start, so it waits until the first requests are answered. */
const LOAD_DELAY_MS = 50;

interface Line {
  readonly method: keyof Log;
  readonly args: unknown[];
  readonly atMs: number;
}

/** Logs to standard error: JSON, or readable lines on a terminal. Lines are buffered until pino is loaded. */
export function createLog(level: LogLevel): ServiceLog {
  const buffered: Line[] = [];
  let logger: Logger | undefined;
  let lineAtMs = 0;

  const load = lazy(async () => {
    const opened = await openPino(level, () => lineAtMs);
    logger = opened;
    for (const line of buffered.splice(0)) write(opened, line);
  });
  const write = (to: Logger, { method, args, atMs }: Line): void => {
    lineAtMs = atMs;
    (to[method] as (...args: unknown[]) => void)(...args);
  };
  const log =
    (method: keyof Log) =>
    (...args: unknown[]): void => {
      if (level === "silent") return;
      const line = { method, args, atMs: Date.now() };
      if (logger) write(logger, line);
      else if (buffered.push(line) === 1) setTimeout(load, LOAD_DELAY_MS);
    };

  return {
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    flush: async () => {
      if (buffered.length > 0) await load();
    },
  };
}

const loadPino = lazy(() => import("pino"));
const loadPretty = lazy(() => import("pino-pretty"));

async function openPino(level: LogLevel, lineAtMs: () => number): Promise<Logger> {
  const { pino } = await loadPino();
  const options = { level, timestamp: () => `,"time":${lineAtMs()}` };
  const destination = pino.destination({ dest: 2, sync: true, maxLength: UNWRITTEN_MAX_CHARACTERS });
  // A log that cannot be written, for instance because the disk is full, must not fail the work it reports on.
  destination.on("error", () => {});
  if (!process.stderr.isTTY) return pino(options, destination);
  const { default: pretty } = await loadPretty();
  return pino(options, pretty({ destination, ignore: "pid,hostname", singleLine: true }));
}
