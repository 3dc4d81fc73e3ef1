import {
  type Field,
  type Fields,
  INT64_SCHEMA,
  type InvalidRecord,
  isRequired,
  type Parsed,
  parseRecord,
  parseSome,
  type Schema,
} from "../../base/json/fields.ts";
import { rawJson } from "../../base/runtime/json.ts";

/** A schema that the OpenAPI document lists under a name of its own. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: Schema;
}

export const namedSchema = (name: string, schema: Schema): NamedSchema => ({ name, schema });

const targets = new WeakMap<object, NamedSchema>();

export function refTo(named: NamedSchema): Schema {
  const ref = { $ref: `#/components/schemas/${named.name}` };
  targets.set(ref, named);
  return ref;
}

/** The named schemas that a schema refers to, however deep in it. */
export function referredTo(schema: object): NamedSchema[] {
  const target = targets.get(schema);
  if (target) return [target];
  return Object.values(schema).flatMap((part) => (part && typeof part === "object" ? referredTo(part) : []));
}

export const assignedId = (example: number): Schema => ({
  ...INT64_SCHEMA,
  description: "Assigned by the service, in ascending order, and never reused.",
  examples: [example],
});

export const moment = (description: string): Schema => ({ type: "string", format: "date-time", description });

/** An integer that a JavaScript number cannot hold, written out in full. */
export const bigExample = (digits: bigint): unknown => rawJson(String(digits));

/** The shape of a request body. Its fields parse the body; with their descriptions, they document it. */
export interface BodyShape<Known extends Fields> extends NamedSchema {
  readonly fields: Known;
  readonly parse: (value: unknown) => Parsed<Known> | InvalidRecord;
  readonly examples: Readonly<Record<string, unknown>>;
}

interface BodyDescription<Known extends Fields> extends Pick<BodyShape<Known>, "fields" | "examples"> {
  readonly description: string;
  /** Any field may be missing, but not all of them. */
  readonly atLeastOne?: true;
  /** Adds to the schema of each field. */
  readonly describe: { readonly [Name in keyof Known]: Schema };
}

export function bodyShape<Known extends Fields>(
  name: string,
  { description, fields, atLeastOne, describe, examples }: BodyDescription<Known>,
): BodyShape<Known> {
  const parse = (value: unknown) => (atLeastOne ? parseSome(fields, value) : parseRecord(fields, value));
  const names = Object.keys(fields);
  const properties = names.map((field) => {
    const said = describe[field] as Schema;
    return [field, "$ref" in said ? said : { ...fields[field]?.schema, ...said }];
  });
  const required = names.filter((field) => isRequired(fields[field] as Field<unknown>));
  const schema = {
    type: "object",
    description,
    properties: Object.fromEntries(properties),
    ...(atLeastOne ? { minProperties: 1 } : {}),
    // OpenAPI 3.0 knows no empty list here.
    ...(!atLeastOne && required.length > 0 ? { required } : {}),
    additionalProperties: false,
    examples: Object.values(examples),
  };
  return { name, schema, fields, parse, examples };
}
