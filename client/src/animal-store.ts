import type { AnimalStoreOptions, CallOptions } from "./options.ts";
import type { Limits } from "./pacing/limits.ts";
import type { Call } from "./resources/call.ts";
import { Categories } from "./resources/categories.ts";
import { Orders } from "./resources/orders.ts";
import { Pets } from "./resources/pets.ts";
import { createRequests, type Requests } from "./resources/requests.ts";
import type { Key } from "./wire/types.ts";

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

  constructor(options: AnimalStoreOptions = {}) {
    const requests = createRequests(options);
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
   * The key itself: its plan, scopes and quotas.
   *
   * @example
   * const { plan, quotas } = await store.key();
   */
  key(options?: CallOptions): Call<Key> {
    return this.#requests.call("getKey", "GET", () => "/key", undefined, options);
  }
}
