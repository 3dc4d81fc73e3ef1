import type { ErrorCode } from "./wire/types.ts";

/**
 * Errors that the client reports itself, because the service sent no response of its own:
 *
 * - `timeout`: no complete answer within `timeoutMs`
 * - `aborted`: your `signal` was aborted; `cause` is its reason
 * - `connection_failed`: the service could not be reached, the connection broke, or the success of a write was damaged
 * - `wait_too_long`: the call would have to wait longer than `maxWaitMs`; `retryAfterMs` says how long
 * - `unexpected_response`: something other than this service answered, such as a proxy
 *
 * @example
 * if (error instanceof AnimalStoreError && error.code === "timeout") showSpinnerAgain();
 */
export type ClientErrorCode = "timeout" | "aborted" | "connection_failed" | "wait_too_long" | "unexpected_response";

/** The constructor arguments of {@link AnimalStoreError}. */
export interface ErrorDetails {
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
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
  /** The number of times the request was sent: 0 if the call failed while it was held back. */
  attempts = 0;
  /** The key that a write was sent with. Repeat the call with it as `idempotencyKey`, and nothing is done twice. */
  declare idempotencyKey: string | undefined;

  constructor({ message, cause, ...details }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, details);
  }
}

/** The error of a call whose signal was aborted. */
export const aborted = (signal: AbortSignal | undefined, requestId?: string): AnimalStoreError =>
  new AnimalStoreError({
    code: "aborted",
    message: "The signal was aborted.",
    requestId,
    cause: signal?.reason,
  });
