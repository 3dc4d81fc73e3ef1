import type { Animal, NewAnimal } from "../domain/animal.ts";
import { int64FromJson } from "../domain/int64.ts";
import type { Order } from "../domain/order.ts";

/**
 * Parses JSON so that no integer loses a digit: every number that is an int64 becomes a bigint, any
 * other stays a number. Throws a SyntaxError, or a RangeError when it is nested too deep.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const exact = UNUSUAL_NUMBER.test(text) ? undefined : withBigints(value);
  return exact ?? JSON.parse(text, exactIntegers);
}

/** A fraction, an exponent, or more digits than a number keeps: its text has to be looked at. */
const UNUSUAL_NUMBER = /[0-9][.eE]|[0-9]{16}/;

/** The object with its numbers as bigints; undefined when it is no flat one, as every body of ours should be. */
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
 * The first name that an object has twice, at the outermost level of a JSON text with this value.
 * JSON.parse would keep the last of them in silence.
 */
export function repeatedName(json: string, value: unknown): string | undefined {
  // As many names as colons, and every name has one: so none is there twice.
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

// Animals and orders on the wire. A bigint prints all of its digits, which JSON.stringify would refuse to.

/** What stands before and after the id. */
type AroundId = readonly [before: string, after: string];

export const petJsonAround = ({ name, categoryId, status }: NewAnimal): AroundId => [
  '{"id":',
  `,"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`,
];

export const orderJsonAround = ({ animalId, status, placedAtMs, updatedAtMs }: Omit<Order, "id">): AroundId => [
  '{"id":',
  `,"petId":${animalId},"status":"${status}","placedAt":"${dateTime(placedAtMs)}","updatedAt":"${dateTime(updatedAtMs)}"}`,
];

export const petJson = (animal: Animal): string => petJsonAround(animal).join(String(animal.id));

export const orderJson = (order: Order): string => orderJsonAround(order).join(String(order.id));

const dateTime = (ms: number): string => new Date(ms).toISOString();

export const arrayJson = <Row>(rows: readonly Row[], json: (row: Row) => string): string =>
  `[${rows.map(json).join(",")}]`;
