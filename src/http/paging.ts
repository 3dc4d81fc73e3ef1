import type { Fault } from "../domain/fault.ts";
import {
  decodeCursor,
  encodeCursor,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  PAGE_SIZE_MIN,
  type Page,
  parsePageSize,
} from "../domain/page.ts";
import { arrayJson } from "./json.ts";
import { Letterhead } from "./letterhead.ts";
import { wrongParameter } from "./query.ts";
import { type Reply, reply } from "./reply.ts";

// What all lists have in common: `limit`, `cursor`, a bare array, and a Link to the next page.

export const PAGE_PARAMETERS = { limit: 1, cursor: 1 } as const;

export const WRONG_LIMIT = wrongParameter(
  "limit",
  `a whole number from ${PAGE_SIZE_MIN} to ${PAGE_SIZE_MAX}, such as limit=${PAGE_SIZE_DEFAULT}`,
);
const WRONG_CURSOR = wrongParameter("cursor", "one that a Link header gave you: follow its URL as it is");

const NOT_LAST = new Letterhead({}, "Link");

export interface PageRequest {
  readonly size: number;
  readonly afterId: bigint | undefined;
}

export function readPage(limit: string | undefined, cursor: string | undefined): PageRequest | Fault {
  const size = limit === undefined ? PAGE_SIZE_DEFAULT : parsePageSize(limit);
  if (size === undefined) return WRONG_LIMIT;
  const afterId = cursor === undefined ? undefined : decodeCursor(cursor);
  return cursor !== undefined && afterId === undefined ? WRONG_CURSOR : { size, afterId };
}

/** A page as a reply. The next one has the same size and the same filter. */
export function pageReply<Row extends { readonly id: bigint }>(
  page: Page<Row>,
  json: (row: Row) => string,
  url: string,
  size: number,
  filter: () => string,
): Reply {
  const body = arrayJson(page.rows, json);
  const last = page.rows.at(-1);
  if (!page.more || last === undefined) return reply(200, body);
  const next = `${url}?limit=${size}${filter()}&cursor=${encodeCursor(last.id)}`;
  return reply(200, body, NOT_LAST, `<${next}>; rel="next"`);
}
