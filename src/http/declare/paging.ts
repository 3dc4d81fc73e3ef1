import { Mistake, oneOf } from "../../base/mistake.ts";
import { quickDigest } from "../../base/runtime/quick-digest.ts";
import {
  CURSOR_BY_ID_PATTERN,
  CURSOR_PATTERN,
  decodeCursor,
  encodeCursor,
  ID_ORDERS,
  type IdOrder,
  isInList,
  type JsonPage,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  PAGE_SIZE_MIN,
  type Position,
  parsePageSize,
} from "../../domain/page.ts";
import type { Fault } from "../faults/fault.ts";
import { invalidParameter } from "../faults/faults.ts";
import type { PublicUrls, Rendered, Success } from "./operation.ts";
import { formatQuery, type ParameterSet, type ParameterValues, queryParameter } from "./parameters.ts";
import { type NamedSchema, namedSchema, refTo } from "./schema.ts";

// All lists have `limit` and `cursor`, and are sent as a bare array with a Link to the next page.

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
  schema: { type: "string", pattern: CURSOR_BY_ID_PATTERN },
  example: encodeCursor({ id: 42n }),
  parse: (text) => decodeCursor(text) ?? new Mistake("must be taken from a Link header; use that URL unchanged"),
  format: encodeCursor,
});

export const PAGE_PARAMETERS = { limit, cursor };

/** The parameters of a list that can be searched by name. */
export const SEARCH_PAGE_PARAMETERS = {
  limit,
  cursor: {
    ...cursor,
    description: `${cursor.description} One of a search by \`name\` goes with that \`name\`, any other one without \`name\`.`,
    schema: { type: "string", pattern: CURSOR_PATTERN },
  },
};

export const sortParameter = queryParameter<IdOrder>({
  description: "`id`: by ascending id, as without it. `-id`: by descending id, the newest first.",
  // No default: a client that sends the defaults of the document could not search by name.
  schema: { type: "string", enum: ID_ORDERS, "x-enum-varnames": ["ID", "ID_DESCENDING"] },
  example: "-id",
  parse: oneOf(ID_ORDERS),
});

/** Refuses a parameter that is valid by itself, but was sent together with one of the others. */
export function clashOf(
  parameter: string,
  others: readonly string[],
  values: Readonly<Record<string, unknown>>,
): Fault | undefined {
  const other = values[parameter] === undefined ? undefined : others.find((name) => values[name] !== undefined);
  return other === undefined
    ? undefined
    : invalidParameter(parameter, `cannot be combined with "${other}": leave one of the two out`);
}

/** Refuses a cursor of another list: a list is by id, or by names that begin with a prefix. */
export const clashOfCursor = (cursor: Position | undefined, foldedPrefix: string | undefined): Fault | undefined =>
  cursor && !isInList(cursor, foldedPrefix) ? invalidParameter("cursor", CURSOR_OF_ANOTHER_LIST) : undefined;

const CURSOR_OF_ANOTHER_LIST = "was not given out for this list: use the URL of a Link header unchanged";

/** A list on the wire: a bare array. */
export const pageSchema = (name: string, item: NamedSchema, description: string): NamedSchema =>
  namedSchema(name, { type: "array", description, items: refTo(item) });

export const pageSuccess = (schema: NamedSchema, description: string, page: readonly unknown[]): Success => ({
  status: 200,
  description,
  schema,
  examples: { page, empty: [] },
  optionalHeaders: ["Link"],
});

/** A page of a list, as the store returns it. */
export interface ListedPage extends JsonPage {
  /** The ETag's content, where it is not derived from the JSON. */
  readonly tag?: string | undefined;
}

/** The tag of a page, by its rows and by whether others follow. No write depends on it, so a quick digest will do. */
const tagOfPage = (json: string, isContinued: boolean): string =>
  isContinued ? quickDigest(json, 1n, 2n) : quickDigest(json, 3n, 4n);

/** Renders a page: a bare array, a Link to the next page, and a tag of the rows and of whether there is a next page. */
export const renderPage =
  <Known extends ParameterSet>(
    path: `/${string}`,
    parameters: Known,
    /** Returns whether a page would be the same after any number of animals were added. */
    survivesAdditions: (page: ListedPage, values: ParameterValues<Known>) => boolean,
  ) =>
  (page: ListedPage, { publicUrl }: PublicUrls, call: { readonly parameters: ParameterValues<Known> }): Rendered => {
    const { json, next } = page;
    const survives = survivesAdditions(page, call.parameters);
    const tag = page.tag ?? tagOfPage(json, next !== undefined);
    if (!next) return { body: json, tag, survivesAdditions: survives };
    const link = linkTo(next, `${publicUrl}${path}`, parameters, call.parameters);
    return { body: json, headers: { Link: link }, tag, survivesAdditions: survives };
  };

/** The next page has the same size and filters. */
const linkTo = (
  next: Position,
  url: string,
  parameters: ParameterSet,
  values: Readonly<Record<string, unknown>>,
): string => `<${url}?${formatQuery(parameters, values, "cursor")}&cursor=${encodeCursor(next)}>; rel="next"`;
