import { mistake } from "../mistake.ts";
import type { HttpMethod, Operation } from "../operation.ts";
import type { AnimalStoreOptions, RequestOptions } from "../options.ts";
import type { Pacer } from "../pacing/pacer.ts";
import { type AnyOptions, createTransport } from "../transport/transport.ts";
import { isInt64 } from "../wire/exact-json.ts";
import { int64 } from "../wire/int64.ts";
import { type Call, callOf } from "./call.ts";
import { type ListCall, listOf } from "./page.ts";

/** The path of a resource. It is built within the call, so that an invalid id rejects the call instead of throwing. */
export type Path = () => string;

/** The most items that the service puts on a page. */
const LARGEST_PAGE = 100;

/** The filter of a list, of which only the size of its pages matters here. */
interface ListFilter {
  readonly limit?: number | undefined;
}

/** Turns arguments into calls. Invalid arguments reject the call before anything is sent. */
export function createRequests(options: AnimalStoreOptions, shared: Pacer | undefined) {
  const [send, pacer, guard, baseUrl] = createTransport(options, shared);
  const [, , limits] = pacer;

  const call = <T>(
    operation: Operation,
    method: HttpMethod,
    path: Path,
    body: object | undefined,
    options?: AnyOptions,
  ): Call<T> => callOf(send<T>(() => ({ operation, method, path: path(), body, isList: false }), options));

  /** A request of the caller's own, whose answer may be anything. */
  const any = <T>(method: HttpMethod, path: string, { query, body, ...options }: RequestOptions): Call<T> => {
    const operation: Operation = `${method} ${path}`;
    return callOf(send<T>(() => ({ operation, method, path: checked(method, path) + queryOf(query), body }), options));
  };

  const page = <T>(operation: Operation, path: Path, options?: AnyOptions) =>
    send<readonly T[]>(() => ({ operation, method: "GET", path: path(), isList: true }), options);

  /** A list that has no pages. */
  const whole = <T>(operation: Operation, path: string, filter?: object, options?: AnyOptions): Call<readonly T[]> =>
    callOf(page<T>(operation, () => path + queryOf(filter), options));

  const list = <T>(operation: Operation, path: string, filter?: ListFilter, options?: AnyOptions): ListCall<T> => {
    // The filter and the options may change before the list is looked at.
    const query = settled(() => queryOf(filter));
    const fixed = { ...options };
    const iterated = (): string => `${path}${query() ? `${query()}&` : "?"}limit=${LARGEST_PAGE}`;
    return listOf(
      () => page<T>(operation, () => path + query(), fixed),
      filter?.limit === undefined ? () => page<T>(operation, iterated, fixed) : undefined,
      // The caller's etag is that of the first page.
      (query) => page(operation, () => path + query, { ...fixed, ifNoneMatch: undefined }),
    );
  };

  /** The first item of a list. It is read unconditionally, so that undefined can only mean that there is none. */
  const first = <T>(operation: Operation, path: string, filter: object, options?: AnyOptions): Call<T | undefined> =>
    callOf(
      page<T>(operation, () => path + queryOf(filter), { ...options, ifNoneMatch: undefined }),
      ({ data }) => data[0],
    );

  return { call, any, whole, list, first, limits, guard, pacer, baseUrl };
}

export type Requests = ReturnType<typeof createRequests>;

/** Evaluates at once, and returns the value, or throws the error, later. */
function settled<T>(evaluate: () => T): () => T {
  try {
    const value = evaluate();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The path of a caller's own request. A path that a URL would change could lead out of the interface. */
function checked(method: string, path: string): string {
  if (!/^(GET|POST|PUT|PATCH|DELETE)$/.test(method))
    throw mistake("method", method, "It must be GET, POST, PUT, PATCH or DELETE");
  const url = `http://host/v1${path}`;
  if (/^\/[^?#]*$/.test(path) && new URL(url).href === url) return path;
  throw mistake("path", path, "It must begin with a slash, be encoded as in a URL, and have no query");
}

function queryOf(filter: object = {}): string {
  let query = "";
  for (const [name, value] of Object.entries(filter)) {
    if (value === undefined) continue;
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    // An empty array would otherwise mean no filter, and list everything.
    if (!values.length) throw new TypeError(`${name} is empty. To list all, leave it out.`);
    for (const one of values)
      query += `${query ? "&" : "?"}${name}=${isInt64(name) ? int64(one, name) : textOf(one, name)}`;
  }
  return query;
}

function textOf(value: unknown, name: string): string {
  if (typeof value === "object") throw mistake(name, value, "It must be a string or a number");
  // encodeURIComponent throws on a lone surrogate.
  return encodeURIComponent(String(value).replace(/\p{Cs}/gu, "\ufffd"));
}
