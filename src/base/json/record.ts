import { Mistake } from "../mistake.ts";
import { quote } from "../text/text.ts";
import type { RecordPlace } from "./fields.ts";
import { outlineOf, parseJson, repeatedName } from "./json.ts";

// The JSON of one record from outside: a request body, or a line of a file.

/** Five times the longest valid body, which has a name of 255 characters, each of them escaped. */
export const RECORD_MAX_BYTES = 16 * 1024;
/** The largest valid body has four values. Thousands would block the thread for milliseconds. */
const RECORD_MAX_VALUES = 64;

/** The verb of a remedy, by the place of the record. */
const VERBS = { body: "Send", line: "Write" } as const satisfies Record<RecordPlace, string>;

export const notJson = (place: RecordPlace = "body"): Mistake =>
  new Mistake(`The ${place} is not valid JSON. ${VERBS[place]} one JSON object.`);

export const recordTooLarge = (maxBytes: number, place: RecordPlace = "body"): string =>
  `The ${place} is larger than ${maxBytes} bytes. ${VERBS[place]} a smaller one.`;

/** Parses a record with exact integers, at a bounded cost. The caller bounds its length. */
export function parseJsonRecord(json: string, place: RecordPlace = "body"): { readonly value: unknown } | Mistake {
  const outline = outlineOf(json, RECORD_MAX_VALUES);
  if (outline.values > RECORD_MAX_VALUES)
    return new Mistake(`The ${place} has more than ${RECORD_MAX_VALUES} values. ${VERBS[place]} one flat JSON object.`);
  try {
    const value = parseJson(json, outline);
    const repeated = repeatedName(json, value, outline);
    return repeated === undefined
      ? { value }
      : new Mistake(`The ${place} contains ${quote(repeated)} more than once. ${VERBS[place]} it once.`);
  } catch {
    return notJson(place);
  }
}
