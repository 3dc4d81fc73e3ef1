import type { AnimalStoreError } from "./error.ts";
import type { HttpMethod, Operation } from "./operation.ts";

/**
 * One attempt to send a request. Every hook receives at least this.
 *
 * @example
 * const lineOf = ({ operation, method, url, attempt }: RequestEvent) => `${operation}: ${method} ${url}, attempt ${attempt}`;
 */
export interface RequestEvent {
  /** The id of the call, the same for all of its attempts. */
  readonly callId: string;
  /** The operation's id in openapi.json, such as `createPet`. */
  readonly operation: Operation;
  /** The HTTP method. */
  readonly method: HttpMethod;
  /** The full URL, including the query. */
  readonly url: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
}

/**
 * A request that is about to be sent. Set headers synchronously: before the hook returns or awaits anything.
 *
 * @example
 * new AnimalStore({ apiKey, onRequest: ({ headers }: OutgoingEvent) => headers.set("traceparent", traceparent()) });
 */
export interface OutgoingEvent extends RequestEvent {
  /** The headers that will be sent, without the API key. */
  readonly headers: Headers;
}

/**
 * A response that has arrived, whatever its status.
 *
 * @example
 * const onResponse = ({ operation, status, durationMs }: ResponseEvent) => log.info(`${operation} ${status} ${durationMs} ms`);
 */
export interface ResponseEvent extends RequestEvent {
  /** The HTTP status. */
  readonly status: number;
  /** The response headers. */
  readonly headers: Headers;
  /** The duration of the attempt, from sending the request to the last byte of the response. */
  readonly durationMs: number;
  /** The id under which the operator finds the request in the service's log. */
  readonly requestId: string | undefined;
}

/**
 * An attempt that has failed and will be repeated.
 *
 * @example
 * const onRetry = ({ error, delayMs }: RetryEvent) => log.warn(`${error.message} Next attempt in ${delayMs} ms.`);
 */
export interface RetryEvent extends RequestEvent {
  /** The reason why the attempt failed. */
  readonly error: AnimalStoreError;
  /** The delay before the next attempt. */
  readonly delayMs: number;
}

/**
 * A call that has failed for good. `attempt` is 0 if it was never sent.
 *
 * @example
 * const onFailure = ({ callId, error }: FailureEvent) => log.warn(`${callId}: ${error.message}`);
 */
export interface FailureEvent extends RequestEvent {
  /** The reason that the call rejects with: an AnimalStoreError, or what your `apiKey` function threw. */
  readonly error: Error;
}

/**
 * The use of a deprecated operation.
 *
 * @example
 * const onDeprecated = ({ message, removedAt }: DeprecationEvent) => log.warn(`${message} ${removedAt?.toISOString()}`);
 */
export interface DeprecationEvent {
  /** The operation's id in openapi.json, such as `getPet`. */
  readonly operation: Operation;
  /** The date of its removal, if known. */
  readonly removedAt: Date | undefined;
  /** A sentence for people, with a link to details. */
  readonly message: string;
}

/**
 * The receiver of the client's log, such as the console.
 *
 * @example
 * const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
 */
export interface Logger {
  /** Each attempt, and each response. */
  debug(message: string, ...details: unknown[]): void;
  /** Calls that are tried again, and calls that have failed. */
  info(message: string, ...details: unknown[]): void;
  /** Deprecated operations, unless `onDeprecated` is set. */
  warn(message: string, ...details: unknown[]): void;
  /** Hooks that have failed. */
  error(message: string, ...details: unknown[]): void;
}

/**
 * A source of time for a client, such as that of the testing kit.
 *
 * @example
 * const impatient: ClientClock = { now: () => performance.now(), sleep: async () => {} };
 */
export interface ClientClock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Resolves early if the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * The options of a client. All are optional if `ANIMAL_STORE_URL` and `ANIMAL_STORE_KEY` are set.
 *
 * @example
 * const store = new AnimalStore({
 *   baseUrl: "https://animals.example/v1",
 *   apiKey: () => secrets.read("animal-store"),
 *   onRetry: ({ operation, error, delayMs }) => log.warn(`${operation}: ${error.message} Next attempt in ${delayMs} ms.`),
 * });
 */
export interface AnimalStoreOptions {
  /** The base URL of the service, ending in `/v1`. By default, the variable `ANIMAL_STORE_URL`. */
  readonly baseUrl?: string | undefined;
  /** The key's secret, or a function that returns it for each attempt. By default, the variable `ANIMAL_STORE_KEY`. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Time limit of one attempt, from asking for the key to the last byte of the response. By default, 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries. Waiting for a quota is not a retry. By default, 4. */
  readonly retries?: number | undefined;
  /** Holds calls back while a quota is used up, instead of letting the service refuse them. By default, true. */
  readonly pacing?: boolean | undefined;
  /** Limit of a call's waits, for a quota or for the next attempt, counted from its start. By default, 2 minutes. */
  readonly maxWaitMs?: number | undefined;
  /** A replacement for the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Headers to send with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The name of your program, such as `front-desk/2.1`. It precedes the client's own in `User-Agent`. */
  readonly userAgent?: string | undefined;
  /** Called before each attempt. */
  readonly onRequest?: ((event: OutgoingEvent) => void) | undefined;
  /** Called after each response. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Called before the wait for the next attempt. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Called once a call has failed for good, also if no answer came. */
  readonly onFailure?: ((event: FailureEvent) => void) | undefined;
  /** Called once for each deprecated operation that is used. By default, the logger gets a warning. */
  readonly onDeprecated?: ((event: DeprecationEvent) => void) | undefined;
  /** The receiver of the log. By default, the console. */
  readonly logger?: Logger | undefined;
  /** The least level that is logged: `debug`, `info`, `warn`, `error` or `off`. By default, `warn`. */
  readonly logLevel?: keyof Logger | "off" | undefined;
  /** The source of time for waits and limits, such as that of the testing kit. By default, the system's. */
  readonly clock?: ClientClock | undefined;
}

/**
 * The options of every call.
 *
 * @example
 * await store.pets.list({}, { signal: AbortSignal.timeout(5_000), retries: 0 });
 */
export interface CallOptions {
  /** Ends the call early, even while it waits. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Overrides the client's `retries`. */
  readonly retries?: number | undefined;
  /** Overrides the client's `maxWaitMs`. */
  readonly maxWaitMs?: number | undefined;
  /** Headers to send with this call, in addition to the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The options of a conditional read, which transfers data only if it has changed.
 *
 * @example
 * const { data, etag } = await store.categories.get(7).withResponse();
 * const newer = await store.categories.get(7, { ifNoneMatch: etag });   // undefined: nothing has changed
 */
export interface ConditionalReadOptions extends CallOptions {
  /** The `etag` of the data that you have: the result is undefined if it has not changed. */
  readonly ifNoneMatch: string | undefined;
}

/**
 * The options of a write.
 *
 * @example
 * await store.orders.place({ petId }, { idempotencyKey: `invoice-${invoice.id}` });
 */
export interface WriteOptions extends CallOptions {
  /** Identifies the write for at least 24 hours: a repeated call does nothing and gets the first one's response. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * The options of a write to something that exists.
 *
 * @example
 * const { data: order, etag } = await store.orders.get(7).withResponse();
 * await store.orders.approve(order.id, { ifMatch: etag });
 */
export interface ConditionalWriteOptions extends WriteOptions {
  /** The `etag` of the data that was read: if it has changed, the write is refused with `precondition_failed`. */
  readonly ifMatch?: string | undefined;
}

/**
 * The options of `categories.put`.
 *
 * @example
 * await store.categories.put(7, { name: "Dogs" }, { ifNoneMatch: "*" });   // only if it has no name yet
 */
export interface PutOptions extends ConditionalWriteOptions {
  /** `*`: if the category already has a name, the write is refused with `precondition_failed`. */
  readonly ifNoneMatch?: "*" | undefined;
}

/**
 * The options of `store.request`.
 *
 * @example
 * await store.request("GET", "/pets", { query: { status: "sold", limit: 5 } });
 */
export interface RequestOptions extends ConditionalWriteOptions {
  /** The parameters of the query. An array repeats its parameter; what is undefined is left out. */
  readonly query?: Readonly<Record<string, string | number | bigint | readonly unknown[] | undefined>> | undefined;
  /** Sent as JSON. */
  readonly body?: object | undefined;
  /** The `etag` of the data that you have: the result is undefined if it has not changed. */
  readonly ifNoneMatch?: string | undefined;
}
