import type { Animal, NewAnimal } from "../domain/animal.ts";
import { int64FromJson } from "../domain/int64.ts";
import type { Order } from "../domain/order.ts";

/**
 * Parses JSON so that no integer loses a digit: every number that is an int64 becomes a bigint, any
 * other stays a number. Throws a SyntaxError, or a RangeError when it is nested too deep.
 */
export const parseJson = (text: string): unknown => JSON.parse(text, exactIntegers);

function exactIntegers(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === "number" ? (int64FromJson(context?.source ?? "") ?? value) : value;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * The first name that an object has twice, at the outermost level of a valid JSON text. JSON.parse
 * would keep the last of them in silence.
 */
export function repeatedName(json: string): string | undefined {
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
