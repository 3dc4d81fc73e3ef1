import type { AnimalStoreOptions } from "../options.ts";
import { type AnyOptions, createTransport, type WireRequest } from "../transport/transport.ts";
import { isInt64, writeExactly } from "../wire/exact-json.ts";
import { int64, shown } from "../wire/int64.ts";
import { type Call, callOf } from "./call.ts";
import { type ListCall, listOf } from "./page.ts";

/** Where something is. It is asked within the call, so that an id that cannot be right fails the call. */
export type Path = () => string;

/** Makes calls of arguments. Arguments that cannot be right fail the call, and nothing is sent. */
export function createRequests(options: AnimalStoreOptions) {
  const [send, limits] = createTransport(options);

  const call = <T>(
    operation: string,
    method: WireRequest["method"],
    path: Path,
    body: object | undefined,
    options?: AnyOptions,
  ): Call<T> => callOf(send<T>(() => ({ operation, method, path: path(), body: body && writeExactly(body) }), options));

  const page = <T>(operation: string, path: string, filter?: object | string, options?: AnyOptions) =>
    send<readonly T[]>(() => ({ operation, method: "GET", path: path + queryOf(filter) }), options);

  const list = <T>(operation: string, path: string, filter?: object, options?: AnyOptions): ListCall<T> =>
    listOf(page(operation, path, filter, options), (query) =>
      // What the caller has already is the first page, if any.
      page(operation, path, query, { ...options, ifNoneMatch: undefined }),
    );

  /** The first of a list. It comes in any case: undefined means that there is none. */
  const first = <T>(operation: string, path: string, filter: object, options?: AnyOptions): Call<T | undefined> =>
    callOf(page<T>(operation, path, filter, { ...options, ifNoneMatch: undefined }), ({ data }) => data[0]);

  return { call, list, first, limits };
}

export type Requests = ReturnType<typeof createRequests>;

function queryOf(filter: object | string = {}): string {
  if (typeof filter === "string") return filter;
  let query = "";
  for (const [name, value] of Object.entries(filter)) {
    if (value === undefined) continue;
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    // Without any, the filter would be none at all.
    if (!values.length) throw new TypeError(`${name} is empty. To list all, leave it out.`);
    for (const one of values)
      query += `${query ? "&" : "?"}${name}=${isInt64(name) ? int64(one, name) : textOf(one, name)}`;
  }
  return query;
}

function textOf(value: unknown, name: string): string {
  if (typeof value === "object") throw new TypeError(`${name} is ${shown(value)}. It must be a string or a number.`);
  // encodeURIComponent refuses half of a surrogate pair.
  return encodeURIComponent(String(value).replace(/\p{Cs}/gu, "\ufffd"));
}
