import { INT64_SCHEMA, type Schema, textField } from "../../base/json/fields.ts";
import { parseInt64 } from "../../base/json/int64.ts";
import { Mistake, oneOf } from "../../base/mistake.ts";
import { parseMoment } from "../../base/time/moment.ts";
import { Fault } from "../faults/fault.ts";
import { invalidParameter, MALFORMED_QUERY, repeatedParameter, unknownParameter } from "../faults/faults.ts";
import { type NamedSchema, refTo } from "./schema.ts";

/** Common to parameters in paths and in queries. The same declaration parses and documents them. */
interface ParameterBase {
  readonly description: string;
  readonly schema: Schema;
  readonly example: unknown;
}

interface QueryParameter<Value> extends ParameterBase {
  readonly in: "query";
  /** The number of times it may be sent. */
  readonly maxCount: number;
  readonly parse: (texts: readonly string[]) => Value | Mistake;
  /** The texts that parse to a value, encoded for links. */
  readonly format: (value: Value) => readonly string[];
  /** The value of an absent parameter; undefined by default. */
  readonly fallback?: Value;
}

/** An id in the path. */
interface PathParameter extends ParameterBase {
  readonly in: "path";
  /** The fault of one that is not a canonical int64, and so names nothing. */
  readonly notFound: Fault;
}

export type Parameter<Value> = QueryParameter<Value> | PathParameter;

// biome-ignore lint/suspicious/noExplicitAny: parameters of any value; each operation knows its own
export type ParameterSet = Readonly<Record<string, Parameter<any>>>;

/** The values of an operation's parameters. */
export type ParameterValues<Known extends ParameterSet> = {
  readonly [Name in keyof Known]: Known[Name] extends QueryParameter<infer Value>
    ? Known[Name] extends { readonly fallback: Value }
      ? Value
      : Value | undefined
    : bigint;
};

interface QueryDescription<Value> extends ParameterBase {
  readonly parse: (text: string) => Value | Mistake;
  /** The text that parses to a value, encoded for links. By default it has nothing to encode. */
  readonly format?: (value: Value) => string;
}

export const queryParameter = <Value>({
  parse,
  format = String,
  ...description
}: QueryDescription<Value>): QueryParameter<Value> => ({
  ...description,
  in: "query",
  maxCount: 1,
  parse: ([text = ""]) => parse(text),
  format: (value) => [format(value)],
});

const parseId = (text: string): bigint | Mistake =>
  parseInt64(text) ?? new Mistake("must be a 64-bit integer, such as 42");

export const int64Parameter = (description: string, example: number) =>
  queryParameter({ description, schema: INT64_SCHEMA, example, parse: parseId });

/** A time of RFC 3339, in milliseconds. */
export const momentParameter = (description: string, example: string) =>
  queryParameter<number>({
    description,
    schema: { type: "string", format: "date-time" },
    example,
    parse: (text) => parseMoment(text) ?? new Mistake(`must be a time with a time zone, such as ${example}`),
    format: (ms) => new Date(ms).toISOString(),
  });

/** A name or another text of one line, by the same rule as in a body. */
export function textParameter(description: string, example: string, maxCodePoints: number): QueryParameter<string> {
  const { schema, parse } = textField(maxCodePoints);
  return queryParameter({ description, schema, example, parse, format: encodeURIComponent });
}

/** A parameter that may be sent several times. */
export const int64ListParameter = (
  description: string,
  example: readonly number[],
  maxCount: number,
): QueryParameter<readonly bigint[]> => ({
  in: "query",
  description,
  schema: { type: "array", items: INT64_SCHEMA, maxItems: maxCount },
  example,
  maxCount,
  parse(texts) {
    const values = texts.map(parseId);
    return values.find((value) => value instanceof Mistake) ?? (values as bigint[]);
  },
  format: (values) => values.map(String),
});

export const choiceParameter = <Choice extends string>(
  description: string,
  choices: readonly [Choice, ...Choice[]],
  shape: NamedSchema,
) =>
  queryParameter<Choice>({
    description,
    schema: refTo(shape),
    example: choices[0],
    parse: oneOf(choices),
  });

export const idInPath = (description: string, example: number, notFound: Fault): PathParameter => ({
  in: "path",
  description: `${description} Anything but a canonical int64 is answered with 404.`,
  schema: INT64_SCHEMA,
  example,
  notFound,
});

/** Reads the parameters in a path, as the router has split it. */
export function readPath(
  known: ParameterSet,
  params: Readonly<Record<string, string>>,
): Record<string, unknown> | Fault {
  const values: Record<string, unknown> = {};
  for (const name in known) {
    const parameter = known[name] as Parameter<unknown>;
    if (parameter.in !== "path") continue;
    const id = parseInt64(params[name] ?? "");
    if (id === undefined) return parameter.notFound;
    values[name] = id;
  }
  return values;
}

/**
 * Reads the query of a URL into the values. A parameter that is unknown, or sent more often than it may
 * be, is a fault: ignoring it would lose what the client meant.
 */
export function readQuery(known: ParameterSet, url: string, values: Record<string, unknown>): Fault | undefined {
  const sent = sentParameters(known, url);
  if (sent instanceof Fault) return sent;
  for (const name in known) {
    const parameter = known[name] as Parameter<unknown>;
    if (parameter.in === "path") continue;
    const texts = sent[name];
    if (texts === undefined) {
      values[name] = parameter.fallback;
      continue;
    }
    const value = parameter.parse(texts);
    if (value instanceof Mistake) return invalidParameter(name, value.text);
    values[name] = value;
  }
  return undefined;
}

const NOTHING_SENT: Readonly<Record<string, string[]>> = {};

function sentParameters(known: ParameterSet, url: string): Readonly<Record<string, string[]>> | Fault {
  const start = url.indexOf("?");
  if (start === -1) return NOTHING_SENT;
  const query = url.slice(start);
  if (query.includes("%") && !isPercentEncoded(query)) return MALFORMED_QUERY;
  const sent: Record<string, string[]> = {};
  if (NOTHING_TO_DECODE.test(query)) return cutOut(query, known, sent) ?? sent;
  for (const [name, text] of new URLSearchParams(query)) {
    const fault = note(name, text, known, sent);
    if (fault) return fault;
  }
  return sent;
}

/** Printable ASCII, apart from % and +: what most queries consist of. */
const NOTHING_TO_DECODE = /^[!-$&-*,-~]*$/;

/** Splits a query as URLSearchParams does, in a fraction of the time. */
function cutOut(query: string, known: ParameterSet, sent: Record<string, string[]>): Fault | undefined {
  for (let start = 1, end: number; start < query.length; start = end + 1) {
    end = query.indexOf("&", start);
    if (end === -1) end = query.length;
    if (end === start) continue;
    const equals = query.indexOf("=", start);
    const hasText = equals !== -1 && equals < end;
    const name = query.slice(start, hasText ? equals : end);
    const fault = note(name, hasText ? query.slice(equals + 1, end) : "", known, sent);
    if (fault) return fault;
  }
  return undefined;
}

function note(name: string, text: string, known: ParameterSet, sent: Record<string, string[]>): Fault | undefined {
  const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
  if (parameter?.in !== "query") return unknownParameter(name, queryNames(known));
  const texts = sent[name];
  if (texts === undefined) sent[name] = [text];
  else if (texts.length >= parameter.maxCount) return repeatedParameter(name, parameter.maxCount);
  else texts.push(text);
  return undefined;
}

function isPercentEncoded(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

export const queryNames = (known: ParameterSet): string[] =>
  Object.keys(known).filter((name) => known[name]?.in === "query");

export const hasPathParameter = (known: ParameterSet): boolean =>
  Object.values(known).some((parameter) => parameter.in === "path");

/** Formats parameters as a query, in the order of their declaration, except the one that is left out. */
export function formatQuery(known: ParameterSet, values: Readonly<Record<string, unknown>>, leftOut?: string): string {
  let query = "";
  for (const name in known) {
    const value = values[name];
    const parameter = known[name] as Parameter<unknown>;
    if (value === undefined || name === leftOut || parameter.in === "path") continue;
    for (const text of parameter.format(value)) query += `${query === "" ? "" : "&"}${name}=${text}`;
  }
  return query;
}
