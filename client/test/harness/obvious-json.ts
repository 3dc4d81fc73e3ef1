import { INT64_FIELDS } from "../../src/wire/types.ts";

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** A reference parser that reads the source text of numbers: slow, and not available in every runtime. */
export const parseObviously = (text: string): unknown =>
  parse(text, (name, value, { source = "" }) =>
    INT64_FIELDS.includes(name) && typeof value === "number" && /^-?\d+$/.test(source) ? source : value,
  );
