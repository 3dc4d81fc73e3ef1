import { atLeast } from "../mistake.ts";
import type { Answer, Reply } from "../transport/answer.ts";
import { linkTo } from "../wire/links.ts";
import { type Call, callOf } from "./call.ts";
import { Lazy, once } from "./lazy.ts";

/**
 * One page of a list. Iterated over: its items, and those of all pages after it.
 *
 * @example
 * const page = await store.pets.list({ limit: 50 });
 * console.log(page.items.length);
 * const following = await page.next(); // undefined after the last one
 */
export interface Page<T> extends AsyncIterable<T> {
  /** The items on the page. */
  readonly items: readonly T[];
  /** The cursor of the next page, to go on later with `list({ cursor })`; undefined on the last page. */
  readonly nextCursor: string | undefined;
  /** The next page; undefined after the last one. */
  next(): Promise<Page<T> | undefined>;
}

/**
 * A list: awaited, its first page; iterated over, the items of all pages. Nothing is sent before either. Without a
 * `limit`, the service decides on the size of a page that is awaited, and whoever iterates gets the largest ones.
 *
 * @example
 * for await (const pet of store.pets.list({ status: "available" })) console.log(pet.name);
 */
export interface ListCall<T> extends Call<Page<T>>, AsyncIterable<T> {
  /**
   * The items of all pages, or the first `max` of them.
   *
   * @example
   * const available = await store.pets.list({ status: "available" }).toArray({ max: 1_000 });
   */
  toArray(options?: { readonly max?: number | undefined }): Promise<T[]>;
}

/** Fetches the page that a query describes. */
type FetchPage<T> = (query: string) => Promise<Reply<readonly T[]>>;

/** Fetches the first page of a list. */
type FetchFirst<T> = () => Promise<Reply<readonly T[]>>;

/** A list whose awaited page, and the one that iterating begins with, are fetched each in its own way, or in one. */
export const listOf = <T>(
  awaited: FetchFirst<T>,
  iterated: FetchFirst<T> | undefined,
  fetchPage: FetchPage<T>,
): ListCall<T> => {
  // No data means 304 Not Modified, which only callers with `ifNoneMatch` get.
  const start = (fetchFirst: FetchFirst<T>) => () =>
    callOf(fetchFirst(), (reply) => reply.data && new FetchedPage(reply, fetchPage)) as Call<Page<T>>;
  return new LazyList(start(awaited), iterated && start(iterated));
};

class LazyList<T> extends Lazy<Page<T>, Call<Page<T>>> implements ListCall<T> {
  readonly [Symbol.toStringTag] = "ListCall";
  readonly #iterated: () => Call<Page<T>>;

  constructor(awaited: () => Call<Page<T>>, iterated: (() => Call<Page<T>>) | undefined) {
    super(awaited);
    this.#iterated = iterated ? once(iterated) : () => this.start();
  }

  withResponse(): Promise<Answer<Page<T>>> {
    return this.start().withResponse();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    // In JavaScript, a list with ifNoneMatch can be iterated over, and may have no page.
    yield* (await this.#iterated()) ?? [];
  }

  async toArray({ max = Infinity }: { readonly max?: number | undefined } = {}): Promise<T[]> {
    const items: T[] = [];
    if (atLeast(0, "max", max) < 1) return items;
    for await (const item of this) if (items.push(item) >= max) break;
    return items;
  }
}

/** Only its data is enumerable, so a page is plain data for JSON, structuredClone and spreads. */
class FetchedPage<T> implements Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
  readonly #nextQuery: string;
  readonly #fetchPage: FetchPage<T>;

  constructor({ data, received }: Reply<readonly T[]>, fetchPage: FetchPage<T>) {
    const target = linkTo("next", received.headers.get("link")) ?? "";
    // Only the query is used, so that the API key is never sent to a host that a Link header names.
    this.#nextQuery = target.slice(target.indexOf("?"));
    this.#fetchPage = fetchPage;
    this.items = data;
    this.nextCursor = /[?&]cursor=([^&]+)/.exec(this.#nextQuery)?.[1];
  }

  async next(): Promise<Page<T> | undefined> {
    return this.nextCursor === undefined
      ? undefined
      : new FetchedPage(await this.#fetchPage(this.#nextQuery), this.#fetchPage);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let page: Page<T> | undefined = this; page; page = await page.next()) yield* page.items;
  }
}
