import { INT64_FIELDS } from "../../src/wire/types.ts";

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** What the client is to make of JSON, by a parser that gives the source of numbers: slow, and not in every runtime. */
export const parseObviously = (text: string): unknown =>
  parse(text, (name, value, { source = "" }) =>
    INT64_FIELDS.includes(name) && typeof value === "number" && /^-?\d+$/.test(source) ? source : value,
  );
