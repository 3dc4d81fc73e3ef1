import { type Logger, pino } from "pino";
import type { LogLevel } from "./config.ts";

/** Logs go to standard error: JSON, or readable lines on a terminal. Written at once, by this thread. */
export async function createLog(level: LogLevel): Promise<Logger> {
  if (level === "silent") return pino({ level });
  if (!process.stderr.isTTY) return pino({ level }, pino.destination({ dest: 2, sync: true }));
  const { default: pretty } = await import("pino-pretty");
  return pino({ level }, pretty({ destination: 2, sync: true, ignore: "pid,hostname" }));
}
