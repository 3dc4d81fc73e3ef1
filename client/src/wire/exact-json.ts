import { int64 } from "./int64.ts";
import { INT64_FIELDS } from "./types.ts";

/** True if a field or a query parameter of that name is a 64-bit integer. */
export const isInt64 = (name: string): boolean => INT64_FIELDS.includes(name);

// Quotation marks within strings are escaped, so one right after `{` or `,` can only begin a name. Shorter integers are
// not rounded.
const LARGE = new RegExp(`([{,]\\s*"(?:${INT64_FIELDS.join("|")})"\\s*:\\s*)(-?\\d{16,})(?=\\s*[,}])`, "g");

/** Parses JSON with 64-bit integers as decimal strings: JSON.parse alone would round them. */
export function parseExactly(text: string): unknown {
  let value: unknown = JSON.parse(text);
  // Rewriting the text is slow, and rarely needed.
  if (!isExact(value)) {
    value = JSON.parse(text.replace(LARGE, '$1"$2"'));
    isExact(value);
  }
  return value;
}

/** Turns the integers of an object, or of each in a list, into strings in place. False if one of them was rounded. */
function isExact(value: unknown): boolean {
  let isRight = true;
  const digits = (integer: unknown): unknown => {
    if (typeof integer !== "number") return integer;
    if (Number.isSafeInteger(integer)) return `${integer}`;
    isRight = false;
    return integer;
  };
  // The fields of INT64_FIELDS by name: looking each one up takes four times as long.
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item?.id !== undefined) item.id = digits(item.id);
    if (item?.categoryId !== undefined) item.categoryId = digits(item.categoryId);
    if (item?.petId !== undefined) item.petId = digits(item.petId);
  }
  return isRight;
}

/** Writes an object as JSON, with all digits of 64-bit integers. Throws a TypeError that names an invalid one. */
export function writeExactly(fields: object): string {
  const members = Object.entries(fields).map(([name, value]) => {
    const json = isInt64(name) && value !== undefined ? int64(value, name) : JSON.stringify(value);
    return json && `${JSON.stringify(name)}:${json}`;
  });
  return `{${members.filter(Boolean)}}`;
}
