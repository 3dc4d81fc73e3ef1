import type { CallOptions, ConditionalReadOptions, ConditionalWriteOptions, PutOptions } from "../options.ts";
import { type CategoryId, type Int64Input, int64 } from "../wire/int64.ts";
import type { Category, CategoryUpdate, ListCategoriesQuery } from "../wire/types.ts";
import type { Call } from "./call.ts";
import type { ListCall, Page } from "./page.ts";
import type { Path, Requests } from "./requests.ts";

const one =
  (id: Int64Input<CategoryId>): Path =>
  () =>
    `/categories/${int64(id, "categoryId")}`;

/**
 * The names of categories: `store.categories`. Animals may belong to categories that have no name.
 *
 * @example
 * const nameDogs = (categories: Categories) => categories.put(7, { name: "Dogs" });
 */
export class Categories {
  readonly #requests: Requests;

  /** @internal */
  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** The first page, or undefined if it is still what `ifNoneMatch` names. */
  list(filter: ListCategoriesQuery, options: ConditionalReadOptions): Call<Page<Category> | undefined>;
  /**
   * The categories that have a name: awaited, the first page; iterated over, all of them.
   *
   * @example
   * for await (const { id, name } of store.categories.list()) console.log(id, name);
   */
  list(filter?: ListCategoriesQuery, options?: CallOptions): ListCall<Category>;
  list(filter?: ListCategoriesQuery, options?: Partial<ConditionalReadOptions>): ListCall<Category> {
    return this.#requests.list("listCategories", "/categories", filter, options);
  }

  /** The category, or undefined if it is still what `ifNoneMatch` names. */
  get(id: Int64Input<CategoryId>, options: ConditionalReadOptions): Call<Category | undefined>;
  /**
   * One category that has a name.
   *
   * @example
   * const { name } = await store.categories.get(7);
   */
  get(id: Int64Input<CategoryId>, options?: CallOptions): Call<Category>;
  get(id: Int64Input<CategoryId>, options?: Partial<ConditionalReadOptions>): Call<Category> {
    return this.#requests.call("getCategory", "GET", one(id), undefined, options);
  }

  /**
   * Names or renames a category.
   *
   * @example
   * await store.categories.put(7, { name: "Dogs" });
   */
  put(id: Int64Input<CategoryId>, category: CategoryUpdate, options?: PutOptions): Call<Category> {
    return this.#requests.call("putCategory", "PUT", one(id), category, options);
  }

  /**
   * Removes the name of a category. Its animals stay as they are.
   *
   * @example
   * await store.categories.delete(7);
   */
  delete(id: Int64Input<CategoryId>, options?: ConditionalWriteOptions): Call<void> {
    return this.#requests.call("deleteCategory", "DELETE", one(id), undefined, options);
  }
}
