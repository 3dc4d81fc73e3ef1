import type { Reply } from "../transport/answer.ts";
import { linkTo } from "../wire/links.ts";
import { type Call, callOf } from "./call.ts";

/**
 * One page of a list.
 *
 * @example
 * const page = await store.pets.list({ limit: 50 });
 * console.log(page.items.length);
 * const following = await page.next(); // undefined after the last one
 */
export interface Page<T> {
  /** The items on the page. */
  readonly items: readonly T[];
  /** The cursor of the next page, to go on later with `list({ cursor })`; undefined on the last page. */
  readonly nextCursor: string | undefined;
  /** The next page; undefined after the last one. */
  next(): Promise<Page<T> | undefined>;
}

/**
 * A list: awaited, its first page; iterated over, the items of all pages.
 *
 * @example
 * for await (const pet of store.pets.list({ status: "available" })) console.log(pet.name);
 */
export interface ListCall<T> extends Call<Page<T>>, AsyncIterable<T> {}

/** Fetches the page that the query of a Link header describes. */
type FetchPage<T> = (query: string) => Promise<Reply<readonly T[]>>;

/** The list that begins with a reply. */
export function listOf<T>(first: Promise<Reply<readonly T[]>>, fetchPage: FetchPage<T>): ListCall<T> {
  // No data means 304 Not Modified, which only callers with `ifNoneMatch` get.
  const call = callOf(first, (reply) => reply.data && pageOf(reply, fetchPage)) as ListCall<T>;
  call[Symbol.asyncIterator] = async function* (): AsyncGenerator<T, void, undefined> {
    for (let page: Page<T> | undefined = await call; page; page = await page.next()) yield* page.items;
  };
  return call;
}

/** `next` is not enumerable, so a page is plain data for JSON, structuredClone and the console. */
function pageOf<T>({ data: items, received }: Reply<readonly T[]>, fetchPage: FetchPage<T>): Page<T> {
  const target = linkTo("next", received.headers.get("link")) ?? "";
  // Only the query is used, so that the API key is never sent to a host that a Link header names.
  const query = target.slice(target.indexOf("?"));
  const nextCursor = /[?&]cursor=([^&]+)/.exec(query)?.[1];
  return Object.defineProperty({ items, nextCursor }, "next", {
    value: async () => nextCursor && pageOf(await fetchPage(query), fetchPage),
  }) as Page<T>;
}
