import type { Awaitable } from "../../base/time/awaitable.ts";
import type { IdempotencyKey, IdempotentResult } from "../../domain/idempotency.ts";
import type { Listed, Page, Position } from "../../domain/page.ts";
import type {
  Category,
  CategoryDeletion,
  CategoryDeletionRefusal,
  CategoryNaming,
  NamedCategory,
  NamingRefusal,
} from "../../domain/stock/category.ts";

/** Names of categories. A category itself is only a number that animals have; it needs no name. */
export interface CategoryStore {
  /** Returns one page of the categories that match. */
  list(query: CategoryQuery): Awaitable<Page<Listed<Category>>>;
  /** Returns a category by id, or undefined if it has no name. */
  get(id: bigint): Awaitable<Category | undefined>;
  /** Returns those of the given categories that have a name, in any order. */
  getSeveral(ids: readonly bigint[]): Awaitable<readonly Category[]>;
  /** Returns the categories that have one of the given names, folded, in any order. */
  findByNames(foldedNames: readonly string[]): Awaitable<readonly Category[]>;
  /**
   * Names a category and returns it, and whether it had no name before. Refuses if the precondition fails or if another
   * category has this name, folded: when several ask for one name at once, exactly one gets it.
   */
  put(naming: CategoryNaming, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<NamedCategory, NamingRefusal>>;
  /**
   * Removes the name of a category and returns the category as it was. Animals keep its number. Refuses if it has no
   * name or if the precondition fails.
   */
  delete(
    deletion: CategoryDeletion,
    idempotencyKey?: IdempotencyKey,
  ): Promise<IdempotentResult<Category, CategoryDeletionRefusal>>;
}

/** One page by ascending id, or with a name, by folded name. */
export interface CategoryQuery {
  /** Prefix of the folded name. */
  readonly name?: string | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}
