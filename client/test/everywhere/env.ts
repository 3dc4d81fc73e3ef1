import type { AnimalStore, AnimalStoreError, AnimalStoreOptions } from "../../src/index.ts";

/** The runtimes that the checks run in. */
export const RUNTIMES = ["Node", "Bun", "Deno", "Chromium", "workerd"] as const;
export type Runtime = (typeof RUNTIMES)[number];

/** The addresses and keys of the services that the tests have started, passed to a runtime as plain data. */
export interface Surroundings {
  readonly runtime: Runtime;
  /** Ends in /v1. */
  readonly baseUrl: string;
  /** A key with all scopes, and quotas that are never reached. */
  readonly apiKey: string;
  /** A key that may only read animals. */
  readonly readingKey: string;
  /** A key with all scopes, and a quota of one request per minute. */
  readonly poorKey: string;
  /** An address where nothing listens. Ends in /v1. */
  readonly deadUrl: string;
  /** A separate service whose clock follows the `quickTime` of a check. Ends in /v1. */
  readonly quickUrl: string;
  /** A key of that service with all scopes, and 40 requests per minute. */
  readonly quickKey: string;
  /** A server that breaks exchanges as their paths say: see `faulty`. */
  readonly faultyOrigin: string;
  /** A server that is not the service: see `strange`. */
  readonly strangeOrigin: string;
}

/** The behaviour of a server that is not the service, or whose connections break. */
export type Strangeness =
  | "closes"
  | "resets"
  | "cuts headers"
  | "cuts a body of known length"
  | "cuts a body in chunks"
  | "resets in the body"
  | "sends half of its JSON"
  | "speaks another protocol"
  | "hangs"
  | "hangs in the body"
  | "redirects"
  | "is a website"
  | "is an empty website"
  | "sends a page for ever"
  | "sends a short body that expands"
  | "is another interface"
  | "has a new code"
  | "is starting";

/** A fault that is injected into a request or its response. */
export type Fault = "pass" | "drop" | "lose" | "truncate" | "hang" | "html" | "408" | "429" | "502" | "503" | "504";

/** The environment of a check. Checks import only types, because they also run in a browser. */
export interface Everywhere extends Surroundings {
  /** The client as it is published. */
  readonly AnimalStore: typeof AnimalStore;
  readonly AnimalStoreError: typeof AnimalStoreError;
  /** A client with the key without limits, which by default does not wait between attempts. */
  store(options?: AnimalStoreOptions): AnimalStore;
  /**
   * The base URL of the same service behind a server that injects these faults into successive requests, and then lets
   * all pass. It may respond like a proxy, with a status (`429` with a Retry-After of 7 s) or a page (`html`).
   * It may `drop` a connection before the service sees the request, `lose` the response, `truncate` it, or `hang`.
   */
  faulty(...faults: readonly Fault[]): string;
  /** The base URL of a server that behaves like this. */
  strange(how: Strangeness): string;
  /** Simulated time, shared with the service at `quickUrl`: waits take no real time. */
  quickTime(): Required<Pick<AnimalStoreOptions, "clock" | "fetch">>;
  /** A name or key that no other check has. */
  unique(): string;
  /** Fails unless both are equal as JSON. */
  equal(actual: unknown, expected: unknown, about?: string): void;
  /** The AnimalStoreError that a promise is rejected with. */
  failure(promise: PromiseLike<unknown>): Promise<AnimalStoreError>;
}

/** A check. Its name says what it shows. */
export type Check = (env: Everywhere) => Promise<void>;
