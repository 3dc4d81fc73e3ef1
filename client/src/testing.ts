// The interface of the testing kit. Its code is built from the service's own rules, see client/testing/ in the
// repository, and takes the place of this module in the package.

import type { ClientClock } from "./options.ts";

/**
 * What an API key may do. Without any of it, the key is on the plan Business and has all scopes.
 *
 * @example
 * const poor: TestKeyOptions = { plan: "enterprise", quotas: { perMinute: 2, perDay: 10 } };
 */
export interface TestKeyOptions {
  /** The plan, which sets the quotas. By default, `business`. */
  readonly plan?: "free" | "pro" | "business" | "enterprise" | undefined;
  /** The quotas of a key on the plan Enterprise, which has none of its own. By default, a million each. */
  readonly quotas?: { readonly perMinute: number; readonly perDay: number } | undefined;
  /** What the key may do. By default, everything. */
  readonly scopes?: readonly ("pets:read" | "pets:write" | "orders:read" | "orders:write")[] | undefined;
  /** Lets its holder rotate its secret. By default, false: no scope brings this with it. */
  readonly rotation?: boolean | undefined;
  /** The name of the key. By default, `test`. */
  readonly name?: string | undefined;
  /** The moment from which on the key is refused. */
  readonly expiresAt?: Date | undefined;
}

/**
 * The options of a test store: those of its first key, and the time.
 *
 * @example
 * const test = createTestStore({ plan: "free", now: "2027-01-01T00:00:00Z" });
 */
export interface TestStoreOptions extends TestKeyOptions {
  /** The date and time at which the clock starts. By default, 2026-11-15T09:30:00Z, so that runs are alike. */
  readonly now?: Date | number | string | undefined;
}

/**
 * What can go wrong with a request. The service does not see it (`drop`); it does the work, and the answer is lost
 * (`lose`) or cut in the middle (`truncate`); no answer ever comes (`hang`). A status from 400 to 599 is an answer: 408,
 * 500 and 503 are the service's, and any other is a page of some proxy. A `Response` is sent as it is. `pass`: nothing.
 *
 * @example
 * test.failNext("lose", 503 satisfies TestFailure);
 */
export type TestFailure = "drop" | "lose" | "truncate" | "hang" | "pass" | number | Response;

/**
 * A request that was sent to the store.
 *
 * @example
 * const isWrite = ({ method }: TestRequest) => method !== "GET";
 */
export interface TestRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The path below the base URL, with the query, such as `/pets?limit=5`. */
  readonly path: string;
  /** The headers, without the API key. */
  readonly headers: Headers;
  /** The body as it was sent. */
  readonly body: string | undefined;
  /** The status of the answer; undefined as long as there is none, or if none arrived. */
  readonly status: number | undefined;
}

/**
 * The time of a test store and of the clients that have it as their `clock`. It stands still while requests are on their
 * way; when all that goes on waits, it goes to the end of the first wait at once.
 *
 * @example
 * test.clock.advance(60_000);   // the next minute, with its quota
 */
export interface TestClock extends ClientClock {
  /** The date and time of the service. */
  date(): Date;
  /** Lets so many milliseconds pass. */
  advance(ms: number): void;
}

/**
 * A store in memory that behaves as the service does, with the options that lead a client to it.
 *
 * @example
 * const store = new AnimalStore(test satisfies TestStore);
 */
export interface TestStore {
  /** An address that only `fetch` knows. */
  readonly baseUrl: string;
  /** The secret of its first key. */
  readonly apiKey: string;
  /** Takes the place of the global `fetch`. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /** Takes the place of the system's time. */
  readonly clock: TestClock;
  /** All requests so far, the oldest first. */
  readonly requests: readonly TestRequest[];
  /** Says what happens to the next requests, one after the other. */
  failNext(...failures: TestFailure[]): void;
  /** Issues another key, and returns its secret. */
  issueKey(options?: TestKeyOptions): string;
}

/**
 * Makes a store in memory for the tests of a program that uses the client. It keeps to the rules of the service: ids,
 * validation, errors, tags, pages, quotas, bans and rotated secrets.
 *
 * @example
 * const test = createTestStore({ plan: "free" });
 * const store = new AnimalStore(test);
 */
export declare function createTestStore(options?: TestStoreOptions): TestStore;
