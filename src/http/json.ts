import { int64FromJson } from "../domain/int64.ts";

/**
 * Parses JSON so that no integer loses a digit: every number that is an int64 becomes a bigint, any
 * other stays a number. Throws a SyntaxError, or a RangeError when it is nested too deep.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const exact = UNUSUAL_NUMBER.test(text) ? undefined : withBigints(value);
  return exact ?? JSON.parse(text, exactIntegers);
}

/** A fraction, an exponent, or more digits than a number can hold: the literal itself has to be parsed. */
const UNUSUAL_NUMBER = /[0-9][.eE]|[0-9]{16}/;

/** The object with its numbers as bigints; undefined when it is not a flat object, as every valid body is. */
function withBigints(value: unknown): Record<string, unknown> | undefined {
  if (!isObject(value) || Array.isArray(value)) return undefined;
  for (const name in value) {
    const member = value[name];
    if (typeof member === "number") value[name] = BigInt(member);
    else if (isObject(member)) return undefined;
  }
  return value;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function exactIntegers(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === "number" ? (int64FromJson(context?.source ?? "") ?? value) : value;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * The first name that occurs twice at the top level of a JSON object with this value. JSON.parse
 * would silently keep the last one.
 */
export function repeatedName(json: string, value: unknown): string | undefined {
  // As many names as colons, and every name is followed by one: none occurs twice.
  if (isObject(value) && json.split(":").length - 1 === Object.keys(value).length) return undefined;
  const names = new Set<string>();
  let depth = 0;
  let lastString = "";
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (token !== ":") lastString = token;
    else if (depth === 1) {
      const name = JSON.parse(lastString) as string;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return undefined;
}
