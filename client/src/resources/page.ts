import type { Answer, Reply } from "../transport/answer.ts";
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
 * A list: awaited, its first page; iterated over, the items of all pages. Nothing is sent before either.
 *
 * @example
 * for await (const pet of store.pets.list({ status: "available" })) console.log(pet.name);
 */
export interface ListCall<T> extends Call<Page<T>>, AsyncIterable<T> {}

/** Fetches the page that the query of a Link header describes. */
type FetchPage<T> = (query: string) => Promise<Reply<readonly T[]>>;

/** The list that begins with the page that `fetchFirst` fetches. */
export const listOf = <T>(fetchFirst: () => Promise<Reply<readonly T[]>>, fetchPage: FetchPage<T>): ListCall<T> =>
  // No data means 304 Not Modified, which only callers with `ifNoneMatch` get.
  new LazyList(() => callOf(fetchFirst(), (reply) => reply.data && pageOf(reply, fetchPage)));

/**
 * A list that asks for its first page when somebody looks at it. If it asked at once, a list that is kept for later
 * could fail while nobody does, and Node ends a program for that. It is no subclass of Promise: a runtime that looks
 * into a promise of its own, instead of calling `then`, would wait for ever.
 */
class LazyList<T> implements ListCall<T> {
  readonly [Symbol.toStringTag] = "ListCall";
  readonly #start: () => Call<Page<T>>;
  #started: Call<Page<T>> | undefined;

  constructor(start: () => Call<Page<T>>) {
    this.#start = start;
  }

  get #call(): Call<Page<T>> {
    this.#started ??= this.#start();
    return this.#started;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is awaited
  then<A = Page<T>, B = never>(...handlers: Parameters<typeof Promise.prototype.then<A, B>>): Promise<A | B> {
    return this.#call.then(...handlers);
  }

  catch<B = never>(...handlers: Parameters<typeof Promise.prototype.catch<B>>): Promise<Page<T> | B> {
    return this.#call.catch(...handlers);
  }

  finally(handler?: (() => void) | null): Promise<Page<T>> {
    return this.#call.finally(handler);
  }

  withResponse(): Promise<Answer<Page<T>>> {
    return this.#call.withResponse();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let page: Page<T> | undefined = await this.#call; page; page = await page.next()) yield* page.items;
  }
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
