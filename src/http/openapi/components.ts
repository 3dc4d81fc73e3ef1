import type { Schema } from "../../base/json/fields.ts";
import { type NamedSchema, referredTo, refTo } from "../declare/schema.ts";
import { HEADERS, type HeaderDescription } from "./headers.ts";

export type Json = Record<string, unknown>;

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** The shared components of the document, collected while the rest is made: only those that are used. */
export class Components {
  readonly schemas: Json = {};
  readonly parameters: Json = {};
  readonly headers: Json = {};
  readonly responses: Json = {};

  /** Notes a schema, and the ones that it refers to. */
  schema(named: NamedSchema): Json {
    this.schemas[named.name] = named.schema;
    this.useIn(named.schema);
    return refTo(named);
  }

  /** Notes the schemas that one refers to. */
  useIn(schema: Schema): void {
    for (const named of referredTo(schema)) this.schema(named);
  }

  /** A header that every response of its kind has. */
  header(name: string): Json {
    this.headers[name] = requiredHeader(name);
    return ref("headers", name);
  }

  optionalHeader(name: string): Json {
    const optional = `Optional-${name}`;
    this.headers[optional] = { required: false, ...describe(name) };
    return ref("headers", optional);
  }

  /** A parameter that several operations share, by its name: `IfMatch` for If-Match. */
  parameter(name: string, parameter: Json): Json {
    const component = pascalCase(name);
    this.parameters[component] ??= parameter;
    if (JSON.stringify(this.parameters[component]) !== JSON.stringify(parameter))
      throw new Error(`Two descriptions of ${name} are shared by several operations: make them one.`);
    return ref("parameters", component);
  }

  response(name: string, response: Json): Json {
    this.responses[name] = response;
    return ref("responses", name);
  }
}

/** `IfMatch` for If-Match, `NotModified` for Not Modified. */
export const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|\W)(\w)/g, (_, letter: string) => letter.toUpperCase());

export const requiredHeader = (name: string): Json => ({ required: true, ...describe(name) });

function describe(name: string): HeaderDescription {
  const description = HEADERS[name];
  if (!description) throw new Error(`The header ${name} has no description: add it to HEADERS.`);
  return description;
}
