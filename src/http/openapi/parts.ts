import { LIMIT_HEADERS } from "./headers.ts";

// What the pieces of the document are made of.

export type Json = Record<string, unknown>;

export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

export const schemaRef = (name: string): Json => ref("schemas", name);

export const headerRefs = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, ref("headers", name)]));

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
  ...headers: string[]
): Json => ({
  description,
  headers: headerRefs(...LIMIT_HEADERS, ...headers),
  content: jsonContent(schemaRef(schema), examples),
});
