import {
  type Field,
  type FieldMistake,
  type Fields,
  InvalidRecord,
  type Parsed,
  parseRecord,
} from "../../base/json/fields.ts";
import { INT64_MAX, INT64_MIN, parseInt64 } from "../../base/json/int64.ts";
import { Mistake } from "../../base/mistake.ts";
import { quote } from "../../base/text/text.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import { decodeCursor, encodeCursor, isInList, type Position } from "../../domain/page.ts";
import { CODE_OF_MISTAKE } from "../../http/faults/faults.ts";
import type { FieldMistakeView } from "../api/index.ts";
import { ConsoleFault } from "../fault.ts";
import type { ConsoleAnswer, ConsoleCall, ConsoleHandler, ConsoleParts, SignedIn } from "../handler.ts";

// Pages send forms as JSON, and queries. The rules of the domain validate both; a fault names its field.

/** The labels of fields on the pages, where that is not simply their name. */
const LABELS: Readonly<Record<string, string>> = {
  categoryId: "The number of the category",
  perMinute: "The quota per minute",
  perDay: "The quota per day",
  scopes: "The access",
  mayRotate: "The rotation",
  expiresAtMs: "The expiry",
  overlapMs: "The overlap",
  seen: "What was shown",
  sort: "The order",
  again: "The choice to import again",
  dryRun: "The choice of a dry run",
  skipInvalid: "The choice to leave lines out",
  keepIds: "The choice to keep ids",
};

export const invalidField = (field: string, message: string): ConsoleFault => invalidFields({ field, message });

/** A fault with further mistakes in other fields. */
export function invalidFields({ field, message }: FieldMistakeView, others: readonly FieldMistakeView[] = []) {
  return new ConsoleFault(400, "invalid_value", message, others.length > 0 ? { field, others } : { field });
}

const labelOf = (field: string): string => LABELS[field] ?? `The ${field}`;

/** A whole number as text: a number of JavaScript would lose digits. */
export const int64TextField: Field<bigint> = {
  parse: (value) => (typeof value === "string" ? parseInt64(value.trim()) : undefined) ?? new Mistake(INT64_RULE),
  schema: { type: "string" },
};

/** The id in the path of a request; undefined: it is not a whole number. */
export function idIn({ params }: Pick<ConsoleCall, "params">): bigint | undefined {
  const id = int64TextField.parse(params.id);
  return id instanceof Mistake ? undefined : id;
}

const INT64_RULE = `must be a whole number from ${INT64_MIN} to ${INT64_MAX}`;

/** A number that needs no int64: a quota, or a time in milliseconds. Integers of a body arrive as bigints. */
export const numberField: Field<number> = {
  parse(value) {
    const number = typeof value === "bigint" ? Number(value) : value;
    return Number.isSafeInteger(number) ? (number as number) : new Mistake("must be a whole number");
  },
  schema: { type: "integer" },
};

export const booleanField: Field<boolean> = {
  parse: (value) => (typeof value === "boolean" ? value : new Mistake("must be on or off")),
  schema: { type: "boolean" },
};

export const orNull = <Value>(field: Field<Value>): Field<Value | null> => ({
  ...field,
  parse: (value) => (value === null ? null : field.parse(value)),
});

/** Checks only the type: a use-case validates the content. */
export const plainTextField: Field<string> = {
  parse: (value) => (typeof value === "string" ? value : new Mistake("must be text")),
  schema: { type: "string" },
};

export const listField = <Choice extends string>(choices: readonly Choice[]): Field<readonly Choice[]> => ({
  parse(value) {
    const isList = Array.isArray(value) && value.every((each) => choices.includes(each as Choice));
    return isList ? [...new Set(value as Choice[])] : new Mistake(`must be some of ${choices.join(", ")}`);
  },
  schema: { type: "array" },
});

type Accepting<Sent> = (
  parts: ConsoleParts,
  session: SignedIn,
  sent: Sent,
  call: ConsoleCall,
) => Awaitable<ConsoleAnswer>;

/** A handler of forms with just these fields. */
export const withForm =
  <Known extends Fields>(known: Known, handle: Accepting<Parsed<Known>>): ConsoleHandler =>
  async (parts, session, call) => {
    const body = await call.form();
    const form = body instanceof ConsoleFault ? body : readForm(known, body);
    return form instanceof ConsoleFault ? form : handle(parts, session, form, call);
  };

/** A handler of queries, whose known parameters are read like the fields of a form. */
export const withQuery =
  <Known extends Fields>(known: Known, handle: Accepting<Parsed<Known>>): ConsoleHandler =>
  (parts, session, call) => {
    const sent = Object.keys(known).map((name) => [name, textIn(call.query, name)]);
    const query = readForm(known, Object.fromEntries(sent.filter(([, text]) => text !== undefined)));
    return query instanceof ConsoleFault ? query : handle(parts, session, query, call);
  };

/** Reads a form with just these fields. */
export function readForm<Known extends Fields>(known: Known, body: unknown): Parsed<Known> | ConsoleFault {
  const parsed = parseRecord(known, body);
  return parsed instanceof InvalidRecord ? faultOf(parsed) : parsed;
}

/** Reports all mistakes in fields at once: the page shows each beside its field. */
function faultOf({ mistakes }: InvalidRecord): ConsoleFault {
  if (mistakes === "not an object")
    return new ConsoleFault(
      400,
      "invalid_value",
      "The request is not a valid form; a JSON object is expected. Reload the page.",
    );
  const [first, ...rest] = mistakes;
  const others = rest.flatMap((each) => ("field" in each ? [{ field: each.field, message: messageOn(each) }] : []));
  const more = "field" in first ? { field: first.field, ...(others.length > 0 ? { others } : {}) } : {};
  return new ConsoleFault(400, CODE_OF_MISTAKE[first.kind], messageOn(first), more);
}

function messageOn(mistake: FieldMistake): string {
  switch (mistake.kind) {
    case "missing":
      return `${labelOf(mistake.field)} is missing. Fill it in.`;
    case "invalid":
      return `${labelOf(mistake.field)} ${mistake.text}.`;
    case "unknown":
      return `${quote(mistake.fields[0] ?? "")} is not a field of this form. Reload the page.`;
    case "none":
      return "There is nothing to change. Change at least one field.";
  }
}

// Queries.

/** A query. An empty parameter counts as absent. */
export type Query = Pick<URLSearchParams, "get">;

export const textIn = (query: Query, name: string): string | undefined => query.get(name)?.trim() || undefined;

export const flagField: Field<boolean> = {
  parse: (value) => (value === "true" || value === "false" ? value === "true" : new Mistake("must be true or false")),
  schema: { type: "boolean" },
};

/** The page size of every list. */
export const PAGE_SIZE = 50;

const STALE_CURSOR = "This list cannot be continued. Go back to its beginning.";

/** Reads the cursor of a list by id, or by names that begin with a folded prefix. */
export function cursorIn(query: Query, foldedPrefix?: string): Position | undefined | ConsoleFault {
  const text = query.get("cursor");
  if (!text) return undefined;
  const position = decodeCursor(text);
  return position && isInList(position, foldedPrefix) ? position : invalidField("cursor", STALE_CURSOR);
}

export const nextOf = (page: { readonly rows: readonly Position[]; readonly more: boolean }): string | null => {
  const last = page.rows.at(-1);
  return page.more && last ? encodeCursor(last) : null;
};
