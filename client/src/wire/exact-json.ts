import { int64 } from "./int64.ts";
import { INT64_FIELDS } from "./types.ts";

/** Whether a field or a query parameter needs all of its 64 bits. */
export const isInt64 = (name: string): boolean => INT64_FIELDS.includes(name);

// A quotation mark within a string is escaped: one right after `{` or `,` can only be the beginning of a name.
const INTEGERS = new RegExp(`([{,]\\s*"(?:${INT64_FIELDS.join("|")})"\\s*:\\s*)(-?\\d+)(?=\\s*[,}])`, "g");

/** Parses what the service sent, with 64-bit integers as decimal strings: JSON.parse alone would round them. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // That is rare, and takes longer than all the rest.
  return isExact(value as Record<string, unknown>) ? value : JSON.parse(text.replace(INTEGERS, '$1"$2"'));
}

/** Makes decimal strings of the integers in an object, or in each of a list, unless one of them was rounded. */
function isExact(value: Record<string, unknown> | null): boolean {
  if (Array.isArray(value)) return value.every(isExact);
  for (const name of INT64_FIELDS) {
    const integer = value?.[name];
    if (typeof integer !== "number") continue;
    if (!Number.isSafeInteger(integer)) return false;
    (value as Record<string, unknown>)[name] = String(integer);
  }
  return true;
}

/** An object as JSON, with all digits of 64-bit integers. A TypeError names the one that is none. */
export function writeExactly(fields: object): string {
  const members = Object.entries(fields).map(([name, value]) => {
    const json = isInt64(name) && value !== undefined ? int64(value, name) : JSON.stringify(value);
    return json && `${JSON.stringify(name)}:${json}`;
  });
  return `{${members.filter(Boolean)}}`;
}
