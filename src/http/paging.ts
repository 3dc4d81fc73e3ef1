import { Mistake } from "../domain/mistake.ts";
import {
  CURSOR_PATTERN,
  decodeCursor,
  encodeCursor,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  PAGE_SIZE_MIN,
  type Page,
  parsePageSize,
} from "../domain/page.ts";
import type { HeaderFields } from "./header-template.ts";
import { formatQuery, type ParameterSet, queryParameter } from "./parameters.ts";

// What all lists have in common: `limit`, `cursor`, a bare array, and a Link to the next page.

/** An absent limit is the default one. */
const limit = {
  ...queryParameter<number>({
    description: "Page size: the most to return.",
    schema: { type: "integer", minimum: PAGE_SIZE_MIN, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE_DEFAULT },
    example: 50,
    parse: (text) =>
      parsePageSize(text) ??
      new Mistake(`must be a whole number from ${PAGE_SIZE_MIN} to ${PAGE_SIZE_MAX}, such as ${PAGE_SIZE_DEFAULT}`),
  }),
  fallback: PAGE_SIZE_DEFAULT as number,
};

const cursor = queryParameter<bigint>({
  description: "Where the page begins. Opaque: take it from a `Link` header.",
  schema: { type: "string", pattern: CURSOR_PATTERN },
  example: encodeCursor(42n),
  parse: (text) => decodeCursor(text) ?? new Mistake("must be taken from a Link header; use that URL unchanged"),
  format: encodeCursor,
});

export const PAGE_PARAMETERS = { limit, cursor };

export const arrayJson = <Row>(rows: readonly Row[], json: (row: Row) => string): string =>
  `[${rows.map(json).join(",")}]`;

/** A Link to the next page, which has the same size and filters; none on the last page. */
export function linkToNext<Row extends { readonly id: bigint }>(
  { rows, more }: Page<Row>,
  url: string,
  parameters: ParameterSet,
  values: Readonly<Record<string, unknown>>,
): HeaderFields | undefined {
  const last = rows.at(-1);
  if (!more || last === undefined) return undefined;
  const query = formatQuery(parameters, { ...values, cursor: undefined });
  return { Link: `<${url}?${query}&cursor=${encodeCursor(last.id)}>; rel="next"` };
}
