import { isRecord } from "../../base/json/fields.ts";
import type { SavedContent } from "../../domain/idempotency.ts";

// Saved content as JSON text. A bigint is written as {"$int64":"1"}; names that begin with $ get another one in front,
// so nothing else is ever taken for such a tag.

const INT64 = "$int64";

export const encodeSavedContent = (content: SavedContent<unknown>): string => JSON.stringify(tagged(content));

export const decodeSavedContent = (text: string): SavedContent<unknown> =>
  untagged(JSON.parse(text)) as SavedContent<unknown>;

// A value whose id the database assigns is saved by the statement that assigns it: its content is the first text,
// the id and the second one.

export const CONTENT_BEFORE_ID = `{"kind":"value","value":{"id":{"${INT64}":"`;

export const contentAfterId = (valueWithoutId: object): string =>
  encodeSavedContent({ kind: "value", value: { id: 0n, ...valueWithoutId } }).slice(CONTENT_BEFORE_ID.length + 1);

function tagged(value: unknown): unknown {
  if (typeof value === "bigint") return { [INT64]: value.toString() };
  if (Array.isArray(value)) return value.map(tagged);
  if (!isRecord(value)) return value;
  return mapped(value, (name) => (name.startsWith("$") ? `$${name}` : name), tagged);
}

function untagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untagged);
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, INT64)) return BigInt(value[INT64] as string);
  return mapped(value, (name) => (name.startsWith("$") ? name.slice(1) : name), untagged);
}

const mapped = (
  value: Record<string, unknown>,
  mapName: (name: string) => string,
  mapValue: (value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, field]) => [mapName(name), mapValue(field)]));
