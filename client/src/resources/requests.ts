import type { AnimalStoreOptions } from "../options.ts";
import { type AnyOptions, createTransport, type WireRequest } from "../transport/transport.ts";
import { isInt64, writeExactly } from "../wire/exact-json.ts";
import { int64, shown } from "../wire/int64.ts";
import { type Call, callOf } from "./call.ts";
import { type ListCall, listOf } from "./page.ts";

/** The path of a resource. It is built within the call, so that an invalid id rejects the call instead of throwing. */
export type Path = () => string;

/** Turns arguments into calls. Invalid arguments reject the call before anything is sent. */
export function createRequests(options: AnimalStoreOptions) {
  const [send, limits] = createTransport(options);

  const call = <T>(
    operation: string,
    method: WireRequest["method"],
    path: Path,
    body: object | undefined,
    options?: AnyOptions,
  ): Call<T> => callOf(send<T>(() => ({ operation, method, path: path(), body: body && writeExactly(body) }), options));

  const page = <T>(operation: string, path: string, query: () => string, options?: AnyOptions) =>
    send<readonly T[]>(() => ({ operation, method: "GET", path: path + query(), isList: true }), options);

  const list = <T>(operation: string, path: string, filter?: object, options?: AnyOptions): ListCall<T> => {
    // The filter may change before the list is looked at.
    const query = settled(() => queryOf(filter));
    const fixed = { ...options };
    return listOf(
      () => page(operation, path, query, fixed),
      // The caller's etag is that of the first page.
      (query) => page(operation, path, () => query, { ...fixed, ifNoneMatch: undefined }),
    );
  };

  /** The first item of a list. It is read unconditionally, so that undefined can only mean that there is none. */
  const first = <T>(operation: string, path: string, filter: object, options?: AnyOptions): Call<T | undefined> =>
    callOf(
      page<T>(operation, path, () => queryOf(filter), { ...options, ifNoneMatch: undefined }),
      ({ data }) => data[0],
    );

  return { call, list, first, limits };
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
  if (typeof value === "object") throw new TypeError(`${name} is ${shown(value)}. It must be a string or a number.`);
  // encodeURIComponent throws on a lone surrogate.
  return encodeURIComponent(String(value).replace(/\p{Cs}/gu, "\ufffd"));
}
