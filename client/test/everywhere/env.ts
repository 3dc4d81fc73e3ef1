import type { AnimalStore, AnimalStoreError, AnimalStoreOptions } from "../../src/index.ts";

/** Where the checks run. */
export const RUNTIMES = ["Node", "Bun", "Deno", "Chromium", "workerd"] as const;
export type Runtime = (typeof RUNTIMES)[number];

/** What the tests tell a runtime about the services that they have started: plain data. */
export interface Surroundings {
  readonly runtime: Runtime;
  /** Ends in /v1. */
  readonly baseUrl: string;
  /** Of a key that may do everything, with quotas that nobody reaches. */
  readonly apiKey: string;
  /** Of a key that may read animals, and nothing else. */
  readonly readingKey: string;
  /** Of a key that may do everything, once a minute. */
  readonly poorKey: string;
  /** Where nobody listens. Ends in /v1. */
  readonly deadUrl: string;
  /** A service of its own, whose clock moves only as the `quickTime` of a check does. Ends in /v1. */
  readonly quickUrl: string;
  /** Of a key of that service which may do everything, 40 times a minute. */
  readonly quickKey: string;
  /** Where a server breaks exchanges as their paths say: see `faulty`. */
  readonly faultyOrigin: string;
  /** Where a server is that is none of ours: see `strange`. */
  readonly strangeOrigin: string;
}

/** How a server answers that is not the service, or whose connections break. */
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
  | "is another interface"
  | "has a new code"
  | "is starting";

/** What is done to a request on its way, or to its answer. */
export type Fault = "pass" | "drop" | "lose" | "truncate" | "hang" | "html" | "408" | "429" | "502" | "503" | "504";

/** What a check is given. It must not import anything but types: it also runs in a browser. */
export interface Everywhere extends Surroundings {
  /** The client as it is published. */
  readonly AnimalStore: typeof AnimalStore;
  readonly AnimalStoreError: typeof AnimalStoreError;
  /** A client of the service with the boundless key, which does not wait between attempts, unless options say otherwise. */
  store(options?: AnimalStoreOptions): AnimalStore;
  /**
   * The base address of the same service behind a server that does this to one request after the other, and then lets
   * them pass. It may answer in place of the service, as a proxy would: with a status, of which `429` asks for 7 s of
   * patience, or with a page (`html`). It may `drop` a connection before the service sees the request, `lose` the answer
   * of the service, `truncate` it, or `hang`.
   */
  faulty(...faults: readonly Fault[]): string;
  /** The base address of a server that answers like this. */
  strange(how: Strangeness): string;
  /** Waits take no time, for the service at `quickUrl` either. */
  quickTime(): Required<Pick<AnimalStoreOptions, "clock" | "fetch">>;
  /** A name or key that no other check has. */
  unique(): string;
  /** Fails unless both are the same, as JSON has them. */
  equal(actual: unknown, expected: unknown, about?: string): void;
  /** The AnimalStoreError that a promise is rejected with. */
  failure(promise: PromiseLike<unknown>): Promise<AnimalStoreError>;
}

/** Its name says what it shows. */
export type Check = (env: Everywhere) => Promise<void>;
