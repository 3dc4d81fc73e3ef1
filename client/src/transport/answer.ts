import { AnimalStoreError, type ErrorDetails } from "../error.ts";
import type { HttpMethod } from "../operation.ts";

/**
 * The response to a call: the data, and what came with it.
 *
 * @example
 * const { data: dogs, etag } = await store.categories.get(7).withResponse();
 */
export interface Answer<T> {
  /** The result of the call without `withResponse()`. */
  readonly data: T;
  /** The HTTP status, such as 201 for a creation, or 304 if the data still matches `ifNoneMatch`. */
  readonly status: number;
  /** The response headers. */
  readonly headers: Headers;
  /** The id under which the operator finds the request in the service's log. */
  readonly requestId: string;
  /** The entity tag of this state of the data, for `ifMatch` and `ifNoneMatch`. */
  readonly etag: string | undefined;
  /** The number of times the request was sent. */
  readonly attempts: number;
  /** True if an earlier attempt, or a call with the same `idempotencyKey`, had already done the write. */
  readonly isReplay: boolean;
}

/** A response, its body parsed. */
export interface Received {
  readonly status: number;
  /** True for a 2xx status. */
  readonly ok: boolean;
  readonly headers: Headers;
  /** Undefined if there is none, null unless it is JSON. */
  readonly body: unknown;
  readonly requestId: string;
  /** The delay that Retry-After asks for. */
  readonly retryAfterMs: number | undefined;
}

/** A successful response with its data. */
export interface Reply<T> {
  readonly data: T;
  readonly received: Received;
  readonly attempts: number;
}

/** The code of what something else answered. */
export const FOREIGN = "unexpected_response";

/** The public form of a reply. Built only on request, because few callers use it. */
export const answerOf = <T>(data: T, { received, attempts }: Reply<unknown>): Answer<T> => {
  const { status, headers, requestId } = received;
  const etag = headers.get("etag") ?? undefined;
  return { data, status, headers, requestId, etag, attempts, isReplay: headers.has("idempotency-replayed") };
};

/** The kind of answer that a request expects: one resource or a list of them, and 304 if it names an etag. */
export interface Expected {
  readonly about: { readonly method: HttpMethod };
  /** Undefined: either. */
  readonly isList: boolean | undefined;
  readonly isConditional: boolean;
}

/** The data of a successful response. Throws an AnimalStoreError for any other. */
export function dataIn(
  { status, ok, body, headers, requestId, retryAfterMs }: Received,
  { about, isList, isConditional }: Expected,
): unknown {
  const isWrite = about.method !== "GET";
  const isAsExpected =
    body === undefined || (Object(body) === body && (isList === undefined || Array.isArray(body) === isList));
  if (status === 304 ? isConditional : ok && isAsExpected) return body;
  let { code, message } = Object(body) as { code?: unknown; message?: unknown };
  // The service may have done a write, and somebody may have damaged its answer: the retry gets the answer again. A read
  // that gets 201 has got the answer to a write.
  const isDamaged = ok && (isWrite || status === 201);
  // Without an error of ours, a proxy, a firewall or another service answered.
  if (isDamaged || typeof code !== "string" || typeof message !== "string") {
    code = isDamaged ? "connection_failed" : FOREIGN;
    let what = ok || status >= 400 ? "Something else answered" : "The address redirects";
    if (status === 304) what = "A cache answered";
    if (isDamaged) what += ", or damaged the answer";
    // A proxy that has lost the service may have passed the write on.
    const isInDoubt = isWrite && (ok || status >= 500);
    const advice = isInDoubt ? ": the write may have been done. Call again with idempotencyKey, or check" : ". Check";
    message = `${what}, with status ${status}${advice} baseUrl, and any proxy.`;
  }
  // Whoever orders an animal that is gone needs to know that; the code of the service says only that a value is wrong.
  if (code === "invalid_value" && /^"petId" is not the id/.test(String(message))) code = "pet_not_found";
  throw new AnimalStoreError({ code, message, status, headers, requestId, retryAfterMs } as ErrorDetails);
}
