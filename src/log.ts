import type { Logger } from "pino";
import type { LogLevel } from "./config.ts";

/** As much of pino as the parts use. */
export type Log = Pick<Logger, "info" | "warn" | "error">;

export interface LateLog extends Log {
  /** Resolves when every line so far is written. */
  flush(): Promise<void>;
}

/** How much is kept back until a log can be written again. */
const UNWRITTEN_MAX_CHARACTERS = 1_000_000;
/** pino takes longer to load than all else that a start does: so it comes after the first answers. */
const LOAD_AFTER_MS = 50;

interface Line {
  readonly method: keyof Log;
  readonly args: unknown[];
  readonly atMs: number;
}

/** Logs go to standard error: JSON, or readable lines on a terminal. Written by this thread, and at once when it is loaded. */
export function createLog(level: LogLevel): LateLog {
  const early: Line[] = [];
  let logger: Logger | undefined;
  let loading: Promise<void> | undefined;
  let lineAtMs = 0;

  const load = (): Promise<void> => {
    loading ??= openPino(level, () => lineAtMs).then((opened) => {
      logger = opened;
      for (const line of early.splice(0)) write(opened, line);
    });
    return loading;
  };
  const write = (to: Logger, { method, args, atMs }: Line): void => {
    lineAtMs = atMs;
    (to[method] as (...args: unknown[]) => void)(...args);
  };
  const log =
    (method: keyof Log) =>
    (...args: unknown[]): void => {
      const line = { method, args, atMs: Date.now() };
      if (logger) write(logger, line);
      else if (level !== "silent") {
        if (early.push(line) === 1) setTimeout(load, LOAD_AFTER_MS);
      }
    };

  return {
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    flush: async () => {
      if (early.length > 0) await load();
    },
  };
}

async function openPino(level: LogLevel, lineAtMs: () => number): Promise<Logger> {
  const { pino } = await import("pino");
  const options = { level, timestamp: () => `,"time":${lineAtMs()}` };
  const destination = pino.destination({ dest: 2, sync: true, maxLength: UNWRITTEN_MAX_CHARACTERS });
  // A log that cannot be written, on a full disk for instance, must not fail what it tells of.
  destination.on("error", () => {});
  if (!process.stderr.isTTY) return pino(options, destination);
  const { default: pretty } = await import("pino-pretty");
  return pino(options, pretty({ destination, ignore: "pid,hostname", singleLine: true }));
}
