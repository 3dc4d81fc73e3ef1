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

/** Loading process.stdout would take 4 ms of a start. Output that cannot be written is lost without an error. */
export const printAtStart = (text: string): void => console.log(text);

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** UTC, in whole seconds. */
export const formatTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

export const formatNumber = (value: number): string => value.toLocaleString("en-US");
