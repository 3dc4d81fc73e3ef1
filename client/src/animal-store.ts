import type { HttpMethod } from "./operation.ts";
import type { AnimalStoreOptions, CallOptions, RequestOptions, WriteOptions } from "./options.ts";
import type { Limits } from "./pacing/limits.ts";
import type { Pacer } from "./pacing/pacer.ts";
import type { Call } from "./resources/call.ts";
import { Categories } from "./resources/categories.ts";
import { Orders } from "./resources/orders.ts";
import type { ListCall } from "./resources/page.ts";
import { Pets } from "./resources/pets.ts";
import { createRequests, type Requests } from "./resources/requests.ts";
import type {
  GetKeyUsageQuery,
  Key,
  KeyRequest,
  ListKeyRequestsQuery,
  RotatedKey,
  SecretRotation,
  Usage,
} from "./wire/types.ts";

/** A client with another one of these has limits of its own. */
const OWN_LIMITS = ["baseUrl", "apiKey", "pacing", "clock"];

/**
 * The client of an Animal Store service, for one API key. Share one instance among all code that uses the key, so that
 * together they stay within its limits.
 *
 * @example
 * const store = new AnimalStore({ baseUrl: "http://127.0.0.1:8080/v1", apiKey });
 * const rex = await store.pets.create({ name: "Rex", categoryId: 7 });
 */
export class AnimalStore {
  /** The animals. */
  declare readonly pets: Pets;
  /** The names of categories. */
  declare readonly categories: Categories;
  /** The sales. */
  declare readonly orders: Orders;
  readonly #requests: Requests;
  readonly #options: AnimalStoreOptions;

  constructor(options?: AnimalStoreOptions);
  /** @internal */
  constructor(options: AnimalStoreOptions, shared: Pacer | undefined);
  constructor(options: AnimalStoreOptions = {}, shared?: Pacer) {
    // The caller may go on to change its own object.
    this.#options = { ...options };
    const requests = createRequests(this.#options, shared);
    this.pets = new Pets(requests);
    this.categories = new Categories(requests);
    this.orders = new Orders(requests);
    this.#requests = requests;
  }

  /**
   * The key's limits, as the responses so far have reported them. Reading this sends no request.
   *
   * @example
   * console.log(store.limits.windows.minute?.remaining);
   */
  get limits(): Limits {
    return this.#requests.limits();
  }

  /**
   * A client with some options changed. As long as it has the same key, it shares this one's limits.
   *
   * @example
   * const patient = store.withOptions({ timeoutMs: 120_000 });
   * const other = store.withOptions({ apiKey: () => secrets.read("other") });
   */
  withOptions(changes: AnimalStoreOptions): AnimalStore {
    const isApart = OWN_LIMITS.some((option) => option in changes);
    return new AnimalStore({ ...this.#options, ...changes }, isApart ? undefined : this.#requests.pacer);
  }

  /**
   * Any request under the base URL, for what this version has no method for. It is paced and retried as all are, and a
   * write is done once. The path is encoded as in a URL; ids in the answer are strings, and one without a body is
   * undefined.
   *
   * @example
   * const pets = await store.request<Pet[]>("GET", "/pets", { query: { id: [1, 2] } });
   */
  request<T = unknown>(method: HttpMethod, path: string, options: RequestOptions = {}): Call<T> {
    return this.#requests.any(method, path, options);
  }

  /**
   * The key itself: its plan, scopes and quotas.
   *
   * @example
   * const { plan, quotas } = await store.key();
   */
  key(options?: CallOptions): Call<Key> {
    return this.#requests.call("getKey", "GET", () => "/key", undefined, options);
  }

  /**
   * The outcomes of the key's requests, by minute, hour or day, oldest first.
   *
   * @example
   * for (const { startedAt, refused } of await store.keyUsage({ by: "hour" })) console.log(startedAt, refused);
   */
  keyUsage(query?: GetKeyUsageQuery, options?: CallOptions): Call<readonly Usage[]> {
    return this.#requests.whole("getKeyUsage", "/key/usage", query, options);
  }

  /**
   * The key's latest requests, newest first, as far as the service has kept them: awaited, the first page; iterated
   * over, all of them.
   *
   * @example
   * const { items } = await store.keyRequests({ status: "4xx" });
   * console.log(items.map(({ path, message }) => `${path}: ${message}`));
   */
  keyRequests(query?: ListKeyRequestsQuery, options?: CallOptions): ListCall<KeyRequest> {
    return this.#requests.list("listKeyRequests", "/key/requests", query, options);
  }

  /**
   * Replaces the key's secret, if the operator allows that. The old one works for a day, or for `overlapSeconds`. This
   * client goes on with the old one: `withOptions({ apiKey: secret })` is one with the new one.
   *
   * @example
   * const { secret, oldSecretExpiresAt } = await store.rotateKey({ overlapSeconds: 3600 });
   */
  rotateKey(rotation: SecretRotation = {}, options?: WriteOptions): Call<RotatedKey> {
    return this.#requests.call("rotateKey", "POST", () => "/key/rotate", rotation, options);
  }
}
