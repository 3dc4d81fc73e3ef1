import { countOf, formatNumber } from "../../base/text/text.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../base/time/clock.ts";
import { openOutput } from "../../telemetry/output.ts";
import { noteWithoutEnd, write } from "./stdout.ts";

/** The number of characters on a line. Undefined: the output is not a terminal, and gets everything. */
export const terminalWidth = (): number | undefined =>
  process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined;

export const print = (text: string): void => write(`${text}\n`);

/** Writes to standard error, for people: programs that read the output do not get it. */
export const note = (text: string): void => noteWithoutEnd(`${text}\n`);

/** Prints for a service, which goes on whether anybody reads it or not. */
export const printAtStart = (text: string): void => openOutput(1).write(`${text}\n`);

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** A path as it can be pasted into a shell. */
export const shellQuoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

// Times are UTC. Programs get them in ISO 8601, people in one form that is easier to read.

export const isoTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

export const timeOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms));

/** For people, in whole seconds. */
export const formatTime = (ms: number): string => isoTime(ms).replace("T", " ");

/** For people, in whole minutes, for lists. */
export const formatMinute = (ms: number): string => `${formatTime(ms).slice(0, "2027-01-31 09:30".length)}Z`;

export { formatNumber };

/** A duration in the largest unit, up to hours, that makes it a whole number. */
export function formatDuration(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, size]) => ms % size === 0) ?? ["second", SECOND_MS];
  return countOf(Math.ceil(ms / unitMs), unit);
}

const UNITS = [
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
  ["second", SECOND_MS],
] as const;
