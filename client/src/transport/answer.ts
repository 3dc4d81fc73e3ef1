import { AnimalStoreError, type ErrorDetails } from "../error.ts";

/**
 * The answer to a call: the data, and what came with it.
 *
 * @example
 * const { data: dogs, etag } = await store.categories.get(7).withResponse();
 */
export interface Answer<T> {
  /** What the call gives without `withResponse()`. */
  readonly data: T;
  /** The HTTP status, such as 201 for what is new, and 304 for what is still as `ifNoneMatch` has it. */
  readonly status: number;
  /** The headers of the answer. */
  readonly headers: Headers;
  /** The id under which the operator finds the request in the service's log. */
  readonly requestId: string;
  /** Names this state of the data: for `ifMatch` and `ifNoneMatch`. */
  readonly etag: string | undefined;
  /** How often the request was sent. */
  readonly attempts: number;
  /** Whether it had been done before, by an earlier attempt or by a call with the same `idempotencyKey`. */
  readonly isReplay: boolean;
}

/** An answer as it has arrived. */
export interface Received {
  readonly status: number;
  /** Whether the status is one of success. */
  readonly ok: boolean;
  readonly headers: Headers;
  /** Undefined unless it is JSON. */
  readonly body: unknown;
  readonly requestId: string;
  /** What Retry-After asks for. */
  readonly retryAfterMs: number | undefined;
}

/** An answer with its data. */
export interface Reply<T> {
  readonly data: T;
  readonly received: Received;
  readonly attempts: number;
}

/** As users get it, if they ask for it: few do, so nothing of it is made before. */
export const answerOf = <T>(
  data: T,
  { received: { status, headers, requestId }, attempts }: Reply<unknown>,
): Answer<T> => ({
  data,
  status,
  headers,
  requestId,
  etag: headers.get("etag") ?? undefined,
  attempts,
  isReplay: headers.has("idempotency-replayed"),
});

/** What the service says, or an AnimalStoreError. */
export function dataIn({ status, ok, body, requestId, retryAfterMs }: Received): unknown {
  if (status === 304 || (ok && (body || status === 204))) return body;
  let { code, message } = Object(body) as { code?: unknown; message?: unknown };
  if (typeof code !== "string" || typeof message !== "string") {
    // As it comes from a proxy, a firewall or another service.
    code = "unexpected_response";
    const what = ok || status >= 400 ? "Something else answered" : "The address redirects";
    message = `${what}, with status ${status}. Check baseUrl, and any proxy.`;
  }
  throw new AnimalStoreError({ code, message, status, requestId, retryAfterMs } as ErrorDetails);
}
