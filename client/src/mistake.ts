/** A TypeError about an argument that cannot be right: what it is, and what it must be. */
export const mistake = (name: string, value: unknown, rule: string): TypeError =>
  new TypeError(`${name} is ${shown(value)}. ${rule}.`);

/** Throws unless all options that take a function have one, or are undefined. */
export function checkFunctions(options: object): void {
  for (const [name, value] of Object.entries(options))
    if (/^(on|fetch|to|idem)/.test(name) && value !== undefined) checkFunction(name, value);
}

export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== "function") throw mistake(name, value, "It must be a function");
}

/** Returns a number that is large enough, and throws for anything else. */
export function atLeast(least: number, name: string, value: unknown): number {
  if (typeof value === "number" && value >= least) return value;
  throw mistake(name, value, `It must be a number from ${least} on`);
}

/** A value for an error message, cut short. */
const shown = (value: unknown): string =>
  Object(value) === value
    ? "an object"
    : (typeof value === "string" ? JSON.stringify(value) : String(value)).slice(0, 60);
