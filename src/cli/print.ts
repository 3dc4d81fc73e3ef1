import { openOutput } from "../telemetry/output.ts";

/** Rows under a head, in columns as wide as they need to be. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(...[title, ...rows.map((row) => row[column] ?? "")].map(width)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell)))
      .join("  ")
      .trimEnd();
  return [line(head), ...rows.map(line)].join("\n");
}

/** Labels and values, one pair per line. */
export const facts = (pairs: readonly (readonly [label: string, value: string])[]): string =>
  table(
    ["", ""],
    pairs.map(([label, value]) => [`  ${label}`, value]),
  )
    .split("\n")
    .slice(1)
    .join("\n");

const width = (text: string): number => Bun.stringWidth(text);

export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** For a service, which goes on whether anybody reads this or not. */
export const printAtStart = (text: string): void => openOutput(1).write(`${text}\n`);

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** UTC, in whole seconds. */
export const formatTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

export const formatNumber = (value: number): string => value.toLocaleString("en-US");
