import type { HttpMethod, Operation } from "./operation.ts";
import type { ErrorCode } from "./wire/types.ts";

/**
 * Errors that the client reports itself, because the service sent no response of its own:
 *
 * - `timeout`: no complete answer within `timeoutMs`
 * - `aborted`: your `signal` was aborted; `cause` is its reason
 * - `deadline_exceeded`: your `signal` was one of `AbortSignal.timeout`, and the time is over
 * - `connection_failed`: the service could not be reached, the connection broke, or the success of a write was damaged
 * - `wait_too_long`: the call would have to wait longer than `maxWaitMs`; `retryAfterMs` says how long
 * - `unexpected_response`: something other than this service answered, such as a proxy
 *
 * @example
 * if (error instanceof AnimalStoreError && error.code === "timeout") showSpinnerAgain();
 */
export type ClientErrorCode =
  | "timeout"
  | "aborted"
  | "deadline_exceeded"
  | "connection_failed"
  | "wait_too_long"
  | "unexpected_response";

/** The constructor arguments of {@link AnimalStoreError}. */
export interface ErrorDetails {
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly headers?: Headers | undefined;
  readonly cause?: unknown;
}

/**
 * Every failure of a call, with two exceptions: invalid arguments throw a TypeError, and errors thrown by your `apiKey`
 * function are passed on unchanged.
 *
 * @example
 * try {
 *   await store.orders.place({ petId });
 * } catch (error) {
 *   if (error instanceof AnimalStoreError && error.code === "pet_not_available") return "Somebody was faster.";
 *   throw error;
 * }
 */
export class AnimalStoreError extends Error {
  /** Always `AnimalStoreError`. */
  override readonly name: string = "AnimalStoreError";
  /** The error code. New codes may be added: for one that you do not know, go by `status`. */
  declare readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** The HTTP status; undefined if there was no response. */
  declare readonly status: number | undefined;
  /** The id under which the operator finds the request in the service's log. */
  declare readonly requestId: string | undefined;
  /** The time to wait before another attempt, if known. */
  declare readonly retryAfterMs: number | undefined;
  /** The operation's id in openapi.json, such as `createPet`. */
  declare readonly operation: Operation;
  /** The HTTP method. */
  declare readonly method: HttpMethod;
  /** The full URL, including the query. */
  declare readonly url: string;
  /** The response headers; undefined if there was no response. Not shown when the error is printed. */
  declare readonly headers: Headers | undefined;
  /** The number of times the request was sent: 0 if the call failed while it was held back. */
  attempts = 0;
  /** The key that a write was sent with. Repeat the call with it as `idempotencyKey`, and nothing is done twice. */
  declare idempotencyKey: string | undefined;

  constructor({ message, cause, headers, ...details }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, details);
    Object.defineProperty(this, "headers", { value: headers });
  }
}

/** The error of a call whose signal was aborted. */
export function aborted(signal: AbortSignal | undefined, requestId?: string): AnimalStoreError {
  const cause: unknown = signal?.reason;
  // The reason of AbortSignal.timeout has this name in every runtime.
  const isLate = Object(cause).name === "TimeoutError";
  const code = isLate ? "deadline_exceeded" : "aborted";
  const message = isLate ? "The deadline of the signal has passed." : "The signal was aborted.";
  return new AnimalStoreError({ code, message, requestId, cause });
}
