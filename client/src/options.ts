import type { AnimalStoreError } from "./error.ts";

/**
 * A request that is about to be sent, or was: what all hooks are told.
 *
 * @example
 * const lineOf = ({ operation, method, url, attempt }: RequestEvent) => `${operation}: ${method} ${url}, attempt ${attempt}`;
 */
export interface RequestEvent {
  /** The operation, as the interface names it, such as `createPet`. */
  readonly operation: string;
  /** The HTTP method. */
  readonly method: string;
  /** Where it goes, with its query. */
  readonly url: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/**
 * A request that is about to be sent, with the headers that you set before the hook returns or awaits anything.
 *
 * @example
 * new AnimalStore({ apiKey, onRequest: ({ headers }: OutgoingEvent) => headers.set("traceparent", traceparent()) });
 */
export interface OutgoingEvent extends RequestEvent {
  /** What is sent, except for the key. */
  readonly headers: Headers;
}

/**
 * An answer that has arrived, whatever its status.
 *
 * @example
 * const onResponse = ({ operation, status, durationMs }: ResponseEvent) => log.info(`${operation} ${status} ${durationMs} ms`);
 */
export interface ResponseEvent extends RequestEvent {
  /** The HTTP status. */
  readonly status: number;
  /** The headers of the answer. */
  readonly headers: Headers;
  /** How long the attempt took, from sending it to the last byte of the answer. */
  readonly durationMs: number;
  /** The id under which the operator finds the request in the service's log. */
  readonly requestId: string | undefined;
}

/**
 * An attempt that has failed and will be repeated. One that fails for good is not told: its call rejects.
 *
 * @example
 * const onRetry = ({ error, delayMs }: RetryEvent) => log.warn(`${error.message} Next attempt in ${delayMs} ms.`);
 */
export interface RetryEvent extends RequestEvent {
  /** What the attempt failed with. */
  readonly error: AnimalStoreError;
  /** How long it will be until the next one. */
  readonly delayMs: number;
}

/**
 * An operation that was used although it is deprecated.
 *
 * @example
 * const onDeprecated = ({ message, removedAt }: DeprecationEvent) => log.warn(`${message} ${removedAt?.toISOString()}`);
 */
export interface DeprecationEvent {
  /** The operation, as the interface names it, such as `getPet`. */
  readonly operation: string;
  /** When it is removed, if that is known. */
  readonly removedAt: Date | undefined;
  /** The same in words, and where to read more. */
  readonly message: string;
}

/** How a client measures time and waits; tests have their own. */
export interface ClientClock {
  /** In milliseconds, and never back. */
  now(): number;
  /** Ends early when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * How a client is set up. Everything is optional where `ANIMAL_STORE_URL` and `ANIMAL_STORE_KEY` are set.
 *
 * @example
 * const store = new AnimalStore({
 *   baseUrl: "https://animals.example/v1",
 *   apiKey: () => secrets.read("animal-store"),
 *   onRetry: ({ operation, error, delayMs }) => log.warn(`${operation}: ${error.message} Next attempt in ${delayMs} ms.`),
 * });
 */
export interface AnimalStoreOptions {
  /** The base address of the service, which ends in `/v1`. By default, the environment variable `ANIMAL_STORE_URL`. */
  readonly baseUrl?: string | undefined;
  /**
   * The secret of the API key, or a function that returns it, which is called for each attempt. By default, the
   * environment variable `ANIMAL_STORE_KEY`.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** How long one attempt may take, from asking for the key to the last byte of the answer. By default, 30 s. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed attempt is repeated at most. Waiting for a quota is not a failure. By default, 4. */
  readonly retries?: number | undefined;
  /** Whether calls are held back while a quota is used up, instead of being refused. By default, true. */
  readonly pacing?: boolean | undefined;
  /** How long after its start a call may still wait, for a quota or for its next attempt. By default, 2 minutes. */
  readonly maxWaitMs?: number | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The name of your program, such as `front-desk/2.1`. It precedes the client's own in `User-Agent`. */
  readonly userAgent?: string | undefined;
  /** Called before each attempt. */
  readonly onRequest?: ((event: OutgoingEvent) => void) | undefined;
  /** Called after each answer. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Called before the wait for the next attempt. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called once for each deprecated operation that is used. By default, a warning goes to the console. */
  readonly onDeprecated?: ((event: DeprecationEvent) => void) | undefined;
  /** @internal */
  readonly clock?: ClientClock | undefined;
}

/**
 * What any call takes.
 *
 * @example
 * await store.pets.list({}, { signal: AbortSignal.timeout(5_000), retries: 0 });
 */
export interface CallOptions {
  /** Ends the call early, even while it waits. */
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take, instead of the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed attempt is repeated at most, instead of the client's `retries`. */
  readonly retries?: number | undefined;
  /** How long after its start the call may still wait, instead of the client's `maxWaitMs`. */
  readonly maxWaitMs?: number | undefined;
}

/**
 * What a read takes to ask for changes only.
 *
 * @example
 * const { data, etag } = await store.categories.get(7).withResponse();
 * const newer = await store.categories.get(7, { ifNoneMatch: etag });   // undefined: nothing has changed
 */
export interface ConditionalReadOptions extends CallOptions {
  /** The `etag` of what you have already: the result is undefined if nothing has changed since. */
  readonly ifNoneMatch: string | undefined;
}

/**
 * What a write takes.
 *
 * @example
 * await store.orders.place({ petId }, { idempotencyKey: `invoice-${invoice.id}` });
 */
export interface WriteOptions extends CallOptions {
  /**
   * Says that two calls are the same, so that the second one does nothing and gets the first one's answer: for 24 hours,
   * even from another process. By default, each call has one of its own.
   */
  readonly idempotencyKey?: string | undefined;
}

/**
 * What a write takes that changes something that exists.
 *
 * @example
 * const { data: order, etag } = await store.orders.get(7).withResponse();
 * await store.orders.approve(order.id, { ifMatch: etag });
 */
export interface ConditionalWriteOptions extends WriteOptions {
  /** The `etag` of what was read: the write is refused with `precondition_failed` if it has changed since. */
  readonly ifMatch?: string | undefined;
}

/**
 * What naming a category takes.
 *
 * @example
 * await store.categories.put(7, { name: "Dogs" }, { ifNoneMatch: "*" });   // only if it has no name yet
 */
export interface PutOptions extends ConditionalWriteOptions {
  /** `*`: the write is refused with `precondition_failed` if the category has a name already. */
  readonly ifNoneMatch?: "*" | undefined;
}
