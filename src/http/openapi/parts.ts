import { encodeCursor, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, PAGE_SIZE_MIN } from "../../domain/page.ts";
import { LIMIT_HEADERS } from "./headers.ts";

// What the pieces of the document are made of.

export type Json = Record<string, unknown>;

export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

export const schemaRef = (name: string): Json => ref("schemas", name);

/** A header by its own name, or under another name of a component. */
export type HeaderName = string | readonly [header: string, component: string];

export const headerRefs = (...names: readonly HeaderName[]): Json =>
  Object.fromEntries(
    names.map((name) => {
      const [header, component] = typeof name === "string" ? [name, name] : name;
      return [header, ref("headers", component)];
    }),
  );

export const jsonContent = (schema: Json, examples: Record<string, unknown>): Json => ({
  "application/json": {
    schema,
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});

export const success = (
  description: string,
  schema: string,
  examples: Record<string, unknown>,
  ...headers: readonly HeaderName[]
): Json => ({
  description,
  headers: headerRefs(...LIMIT_HEADERS, ...headers),
  content: jsonContent(schemaRef(schema), examples),
});

/** The parameters that every list has. */
export const pageParameters = (): Json[] => [
  {
    name: "limit",
    in: "query",
    description: "Page size: the most to return.",
    schema: { type: "integer", minimum: PAGE_SIZE_MIN, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE_DEFAULT },
    example: 50,
  },
  {
    name: "cursor",
    in: "query",
    description: "Where the page begins. Opaque: take it from a `Link` header.",
    schema: { type: "string" },
    example: encodeCursor(42n),
  },
];

/** A filter by an int64. */
export const int64Parameter = (name: string, description: string, example: number): Json => ({
  name,
  in: "query",
  description,
  schema: { type: "integer", format: "int64" },
  example,
});

/** Makes a POST safe to retry. */
export const IDEMPOTENCY_KEY: Json = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Makes the request safe to retry: copies with the same value within 24 hours get the first answer again, and only the first is carried out. Use a new value, a UUID for instance, for each new request.",
  schema: { type: "string", minLength: 1, maxLength: 257, pattern: '^"?[^",\\\\]+"?$' },
  example: "8f0e1c5e-5c0b-4d7e-9b6c-0a3f5d1e7b42",
};

export const curlSample = (command: string): Json[] => [{ lang: "Shell", label: "curl", source: command }];
