import { type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";

/** How much is kept back until a log can be written again. */
const UNWRITTEN_MAX_CHARACTERS = 1_000_000;

/** Logs go to standard error: JSON, or readable lines on a terminal. Written at once, by this thread. */
export async function createLog(level: LogLevel): Promise<Logger> {
  if (level === "silent") return pino({ level });
  const destination = pino.destination({ dest: 2, sync: true, maxLength: UNWRITTEN_MAX_CHARACTERS });
  // A log that cannot be written, on a full disk for instance, must not fail what it tells of.
  destination.on("error", () => {});
  if (!process.stderr.isTTY) return pino({ level }, destination);
  const { default: pretty } = await import("pino-pretty");
  return pino({ level }, pretty({ destination, ignore: "pid,hostname", singleLine: true }));
}
