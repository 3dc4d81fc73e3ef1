import { outlineOf, parseJson, repeatedName } from "./json.ts";
import { Mistake } from "./mistake.ts";
import { quote } from "./text.ts";

// The JSON of one record from outside: a request body, or a line of a file.

/** Five times the longest body that is valid: a name of 255 characters, each of them escaped. */
export const RECORD_MAX_BYTES = 16 * 1024;
/** The largest valid body has four. Parsing thousands would take milliseconds, in which nobody else is answered. */
const RECORD_MAX_VALUES = 64;

const TOO_MANY_VALUES = new Mistake(`The body has more than ${RECORD_MAX_VALUES} values. Send one flat JSON object.`);
export const NO_JSON_RECORD = new Mistake("The body is not valid JSON. Send one JSON object.");

export const bodyTooLarge = (maxBytes: number): string =>
  `The body is larger than ${maxBytes} bytes. Send a smaller one.`;

/** The value, in which integers are exact, at a bounded cost. Its length is for the caller to bound. */
export function parseJsonRecord(json: string): { readonly value: unknown } | Mistake {
  const outline = outlineOf(json, RECORD_MAX_VALUES);
  if (outline.values > RECORD_MAX_VALUES) return TOO_MANY_VALUES;
  try {
    const value = parseJson(json, outline);
    const repeated = repeatedName(json, value, outline);
    return repeated === undefined
      ? { value }
      : new Mistake(`The body contains ${quote(repeated)} more than once. Send it once.`);
  } catch {
    return NO_JSON_RECORD;
  }
}
