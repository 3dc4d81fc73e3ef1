import { Mistake } from "../domain/mistake.ts";
import {
  CURSOR_PATTERN,
  decodeCursor,
  encodeCursor,
  ID_ORDERS,
  type IdOrder,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  PAGE_SIZE_MIN,
  type Page,
  type Position,
  parsePageSize,
} from "../domain/page.ts";
import { tagOf } from "../domain/tag.ts";
import type { Fault } from "./fault.ts";
import { invalidParameter } from "./faults.ts";
import type { HeaderFields } from "./header-template.ts";
import type { PublicUrls, Rendered } from "./operation.ts";
import { formatQuery, type ParameterSet, type ParameterValues, queryParameter } from "./parameters.ts";

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

const cursor = queryParameter<Position>({
  description: "Where the page begins. Opaque: take it from a `Link` header.",
  schema: { type: "string", pattern: CURSOR_PATTERN },
  example: encodeCursor({ id: 42n }),
  parse: (text) => decodeCursor(text) ?? new Mistake("must be taken from a Link header; use that URL unchanged"),
  format: encodeCursor,
});

export const PAGE_PARAMETERS = { limit, cursor };

export const sortParameter = queryParameter<IdOrder>({
  description: "`id`: by ascending id, as without it. `-id`: by descending id, the newest first.",
  // No default: a client that sends the defaults of the document could not search by name.
  schema: { type: "string", enum: ID_ORDERS },
  example: "-id",
  parse: (text) => ID_ORDERS.find((order) => order === text) ?? new Mistake(`must be one of ${ID_ORDERS.join(", ")}`),
});

/** A parameter that is valid by itself, but not with the others. */
export interface Clash {
  readonly parameter: string;
  readonly mistake: string;
}

export const refuseClash = ({ parameter, mistake }: Clash): Fault => invalidParameter(parameter, mistake);

/** The first of the others that was sent too, although it does not go with this parameter. */
export function clashOf(
  parameter: string,
  others: readonly string[],
  values: Readonly<Record<string, unknown>>,
): Clash | undefined {
  const other = values[parameter] === undefined ? undefined : others.find((name) => values[name] !== undefined);
  return other === undefined
    ? undefined
    : { parameter, mistake: `cannot be combined with "${other}": leave one of the two out` };
}

/** A cursor continues the list that it was given out with: by id, or by names that begin with a prefix. */
export function clashOfCursor(cursor: Position | undefined, foldedPrefix: string | undefined): Clash | undefined {
  const fits =
    foldedPrefix === undefined
      ? cursor?.foldedName === undefined
      : cursor === undefined || cursor.foldedName?.startsWith(foldedPrefix);
  return fits ? undefined : { parameter: "cursor", mistake: CURSOR_OF_ANOTHER_LIST };
}

const CURSOR_OF_ANOTHER_LIST = "was not given out for this list: use the URL of a Link header unchanged";

interface PageShape<Row, Known extends ParameterSet> {
  readonly path: `/${string}`;
  readonly parameters: Known;
  readonly json: (row: Row) => string;
  /** The tag of a page that stands for something else too; undefined for any other. */
  readonly tag?: (page: Page<Row>, values: ParameterValues<Known>) => string | undefined;
}

/** A page as a response: a bare array, a Link to the next page, and a tag. */
export const renderPage =
  <Row extends Position, Known extends ParameterSet>({ path, parameters, json, tag }: PageShape<Row, Known>) =>
  (page: Page<Row>, { publicUrl }: PublicUrls, call: { readonly parameters: ParameterValues<Known> }): Rendered => {
    const body = `[${page.rows.map(json).join(",")}]`;
    const headers = linkToNext(page, `${publicUrl}${path}`, parameters, call.parameters);
    return { body, headers, tag: tag?.(page, call.parameters) ?? pageTag(body, headers) };
  };

/** What stands for a page: its rows, and whether there is a next one. */
const pageTag = (body: string, headers: HeaderFields | undefined): string =>
  tagOf(headers?.Link === undefined ? body : `${body}${headers.Link}`);

/** A Link to the next page, which has the same size and filters; none on the last page. */
function linkToNext<Row extends Position>(
  { rows, more }: Page<Row>,
  url: string,
  parameters: ParameterSet,
  values: Readonly<Record<string, unknown>>,
): HeaderFields | undefined {
  const last = rows.at(-1);
  if (!more || last === undefined) return undefined;
  const query = formatQuery(parameters, { ...values, cursor: undefined });
  return { Link: `<${url}?${query}&cursor=${encodeCursor(last)}>; rel="next"` };
}
