import { int64 } from "./int64.ts";
import { INT64_FIELDS } from "./types.ts";

/** True if a field or a query parameter of that name is a 64-bit integer. */
export const isInt64 = (name: string): boolean => INT64_FIELDS.includes(name);

// Quotation marks within strings are escaped, so one right after `{` or `,` can only begin a name.
const INTEGERS = new RegExp(`([{,]\\s*"(?:${INT64_FIELDS.join("|")})"\\s*:\\s*)(-?\\d+)(?=\\s*[,}])`, "g");

/** Parses JSON with 64-bit integers as decimal strings: JSON.parse alone would round them. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Rewriting the text is slow, and rarely needed.
  return isExact(value as Record<string, unknown>) ? value : JSON.parse(text.replace(INTEGERS, '$1"$2"'));
}

/** Turns the integers of an object, or of each in a list, into strings in place. False if one of them was rounded. */
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

/** Writes an object as JSON, with all digits of 64-bit integers. Throws a TypeError that names an invalid one. */
export function writeExactly(fields: object): string {
  const members = Object.entries(fields).map(([name, value]) => {
    const json = isInt64(name) && value !== undefined ? int64(value, name) : JSON.stringify(value);
    return json && `${JSON.stringify(name)}:${json}`;
  });
  return `{${members.filter(Boolean)}}`;
}
