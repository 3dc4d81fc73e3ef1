import { parseWithLiterals } from "../runtime/json.ts";
import { int64FromJson } from "./int64.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const LETTER_E = 0x65;
const OPENING_BRACE = 0x7b;
const LOWER_CASE = 0x20;

/** Integers of this many digits are exact in a number. */
const EXACT_DIGITS = 15;

/**
 * Counts in one pass, without parsing. Takes linear time for any text, and stops as soon as there are more values than
 * the limit.
 */
export function outlineOf(json: string, maxValues = Number.POSITIVE_INFINITY) {
  /** An upper bound of the number of values, at any depth. */
  let values = 1;
  /** Names of members at any depth. */
  let names = 0;
  /** A number has a fraction, an exponent, or too many digits for a number: its literal has to be parsed. */
  let hasUnusualNumber = false;
  let digits = 0;
  for (let at = 0; at < json.length && values <= maxValues; at++) {
    const code = json.charCodeAt(at);
    if (code >= DIGIT_0 && code <= DIGIT_9) {
      if (++digits > EXACT_DIGITS) hasUnusualNumber = true;
      continue;
    }
    if (digits > 0 && (code === DOT || (code | LOWER_CASE) === LETTER_E)) hasUnusualNumber = true;
    digits = 0;
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === COLON) names++;
    else if (code === COMMA || code === OPENING_BRACE || code === OPENING_BRACKET) values++;
  }
  return { values, names, hasUnusualNumber };
}

/** The index of the closing quote of a string. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  for (; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) at++;
  }
  return at;
}

/**
 * Parses JSON without loss of digits: every number that is an int64 becomes a bigint, any other stays a number. Throws
 * a SyntaxError, or a RangeError if it is nested too deep.
 */
export function parseJson(json: string, { hasUnusualNumber } = outlineOf(json)): unknown {
  if (hasUnusualNumber) return parseWithLiterals(json, exactIntegers);
  const value: unknown = JSON.parse(json);
  return withBigints(value) ?? parseWithLiterals(json, exactIntegers);
}

/** The object with its numbers as bigints; undefined if it is not flat. Every valid body is. */
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

/** No sensible literal of an int64 is longer. */
const LITERAL_MAX_CHARACTERS = 100;

function exactIntegers(_key: string, value: unknown, context?: { source: string }): unknown {
  if (typeof value !== "number" || !context || context.source.length > LITERAL_MAX_CHARACTERS) return value;
  return int64FromJson(context.source) ?? value;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/** The first name that occurs twice at the top level of a JSON object, of which JSON.parse silently keeps the last. */
export function repeatedName(json: string, value: unknown, { names } = outlineOf(json)): string | undefined {
  if (!isObject(value) || names === Object.keys(value).length) return undefined;
  const seen = new Set<string>();
  let depth = 0;
  let lastString = "";
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (token !== ":") lastString = token;
    else if (depth === 1) {
      const name = JSON.parse(lastString) as string;
      if (seen.has(name)) return name;
      seen.add(name);
    }
  }
  return undefined;
}
