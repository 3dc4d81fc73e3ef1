import { Mistake, oneOf } from "../mistake.ts";
import { mistakeInText, quote } from "../text/text.ts";
import { INT64_MAX, INT64_MIN } from "./int64.ts";

/** JSON Schema, as far as it describes one value. */
export type Schema = Readonly<Record<string, unknown>>;

/** One field of a record from outside. The same declaration parses it and describes it. */
export interface Field<Value> {
  readonly parse: (value: unknown) => Value | Mistake;
  readonly schema: Schema;
  /** The value of a missing field. */
  readonly fallback?: Value;
  /** The field may be missing, and then has no value. Without this and a fallback, it is required. */
  readonly mayBeMissing?: true;
}

export const INT64_SCHEMA: Schema = { type: "integer", format: "int64" };

/** parseJson makes a bigint of every integer, however it is written. */
export const int64Field: Field<bigint> = {
  parse: (value) =>
    typeof value === "bigint"
      ? value
      : new Mistake(`must be an integer from ${INT64_MIN} to ${INT64_MAX}, without quotes`),
  schema: INT64_SCHEMA,
};

const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f";
const BIDIRECTIONAL = "\\u202a-\\u202e\\u2066-\\u2069";
const INVISIBLE =
  "\\s\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb";

/** A text has no character of `without`, and one that is not in `besides`. Not every validator knows Unicode classes. */
const pattern = (without: string, besides: string): string => `^[^${without}]*[^${besides}${without}][^${without}]*$`;

/** The rule for texts of earlier releases: not blank, no control characters. */
export const PRINTABLE = pattern(CONTROLS, "\\s");
/** The rule of mistakeInText without Unicode classes: it omits invisible characters above U+FFFF. */
const VISIBLE = pattern(CONTROLS + BIDIRECTIONAL, INVISIBLE);

export const textField = (maxCodePoints: number): Field<string> => ({
  parse(value) {
    if (typeof value !== "string") return new Mistake("must be a string");
    return mistakeInText(value, maxCodePoints) ?? value;
  },
  schema: { type: "string", minLength: 1, maxLength: maxCodePoints, pattern: VISIBLE },
});

export const choiceField = <Choice extends string>(choices: readonly Choice[]): Field<Choice> => ({
  parse: oneOf(choices),
  schema: { type: "string", enum: choices },
});

export const optional = <Value>(field: Field<Value>, fallback: Value): Field<Value> => ({ ...field, fallback });

export const maybe = <Value>(field: Field<Value>): Field<Value | undefined> => ({ ...field, mayBeMissing: true });

/** The same fields, none of which is needed: one that is missing has no value. */
export const partial = <Known extends Fields>(known: Known) =>
  Object.fromEntries(Object.entries(known).map(([name, { parse, schema }]) => [name, maybe({ parse, schema })])) as {
    readonly [Name in keyof Known]: Field<Parsed<Known>[Name] | undefined>;
  };

export const isRequired = ({ fallback, mayBeMissing }: Field<unknown>): boolean =>
  fallback === undefined && !mayBeMissing;

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The record that fields parse to. */
export type Parsed<Known extends Fields> = {
  readonly [Name in keyof Known]: Known[Name] extends Field<infer Value> ? Value : never;
};

export type FieldMistake =
  /** At least one of these fields is needed, and all are missing. */
  | { readonly kind: "none"; readonly fields: readonly string[] }
  | { readonly kind: "missing"; readonly field: string }
  | { readonly kind: "invalid"; readonly field: string; readonly text: string }
  | { readonly kind: "unknown"; readonly fields: readonly string[] };

/** A value that is not an object, or an object with mistakes in its fields. */
export class InvalidRecord {
  constructor(readonly mistakes: "not an object" | readonly [FieldMistake, ...FieldMistake[]]) {}
}

/** The place of a record, as a sentence about a mistake names it: the body of a request, or a line of a file. */
export type RecordPlace = "body" | "line";

interface SentenceOptions {
  readonly place?: RecordPlace;
  readonly hasIdInPath?: boolean;
}

/** All mistakes in one text, a sentence each. */
export function sentencesOn({ mistakes }: InvalidRecord, options: SentenceOptions = {}): string {
  if (mistakes === "not an object") return `The ${options.place ?? "body"} must be a JSON object.`;
  return mistakes.map((mistake) => sentenceOnField(mistake, options)).join(" ");
}

function sentenceOnField(mistake: FieldMistake, { place = "body", hasIdInPath = false }: SentenceOptions): string {
  if (mistake.kind === "none")
    return `The body names nothing to change. Send at least one of ${mistake.fields.join(", ")}.`;
  if (mistake.kind === "missing") return `"${mistake.field}" is missing. Add it to the ${place}.`;
  if (mistake.kind === "invalid") return `"${mistake.field}" ${mistake.text}.`;
  const [first = "", ...others] = mistake.fields;
  if (others.length > 0)
    return `${quote(first)} and ${others.length} more are not fields of this ${place}. Remove them.`;
  if (first !== "id") return `${quote(first)} is not a field of this ${place}. Remove it.`;
  return hasIdInPath
    ? '"id" is part of the path. Remove it from the body.'
    : '"id" is assigned by the service. Remove it.';
}

/** Parses a record with exactly these fields. Returns all mistakes if there are any. */
export function parseRecord<Known extends Fields>(known: Known, value: unknown): Parsed<Known> | InvalidRecord {
  if (!isRecord(value)) return new InvalidRecord("not an object");
  const parsed: Record<string, unknown> = {};
  const mistakes: FieldMistake[] = [];
  for (const name in known) {
    const field = known[name] as Field<unknown>;
    if (Object.hasOwn(value, name)) {
      const outcome = field.parse(value[name]);
      if (outcome instanceof Mistake)
        mistakes.push({ kind: "invalid", field: name, text: textOn(field, value[name], outcome) });
      else parsed[name] = outcome;
    } else if (field.fallback !== undefined) parsed[name] = field.fallback;
    else if (isRequired(field)) mistakes.push({ kind: "missing", field: name });
  }
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) mistakes.push({ kind: "unknown", fields: unknown });
  const [first, ...others] = mistakes;
  return first ? new InvalidRecord([first, ...others]) : (parsed as Parsed<Known>);
}

/** Some clients send null for an optional field. */
const textOn = (field: Field<unknown>, value: unknown, { text }: Mistake): string =>
  value === null && !isRequired(field) ? `${text}; it may be left out, but not be null` : text;

/** Parses a record with at least one of the fields. */
export function parseSome<Known extends Fields>(known: Known, value: unknown): Parsed<Known> | InvalidRecord {
  const parsed = parseRecord(known, value);
  if (parsed instanceof InvalidRecord || Object.keys(parsed).length > 0) return parsed;
  return new InvalidRecord([{ kind: "none", fields: Object.keys(known) }]);
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
