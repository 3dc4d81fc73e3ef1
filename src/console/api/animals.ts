import type { IdOrder, NameOrder } from "../../domain/page.ts";
import type { Animal } from "../../domain/stock/animal.ts";
import type { BoundedCount, PageView } from "./common.ts";

export interface AnimalView extends Pick<Animal, "name" | "status"> {
  readonly id: string;
  readonly categoryId: string;
  /** Null: it has none. */
  readonly categoryName: string | null;
}

/**
 * The orders of a list of animals: those by name only without a category and an id, a search for the beginning of a name
 * only in them, and one inside names only by id.
 */
export type AnimalSort = IdOrder | NameOrder;

/**
 * GET /console/api/animals?status=&categoryId=&name=&id=&inside=&sort=&cursor= : 50 a page, the newest first by default.
 * inside=true searches inside names, without the other filters.
 */
export interface AnimalListView extends PageView<AnimalView> {
  /** Present in a search by name. */
  readonly canSearchInside?: boolean;
  /** Present in a search inside names that cannot find everything yet. */
  readonly indexing?: IndexingView;
}

/** How far the index of names has come. */
export interface IndexingView {
  /** Animals up to this id can be found; null: none can. */
  readonly upToId: string | null;
  /** The greatest id of all. */
  readonly lastId: string;
  /** True: the latest attempt to index more has failed. */
  readonly hasFailed: boolean;
}

/** POST /console/api/animals: answers with AnimalView. */
export type AnimalForm = Pick<AnimalView, "name" | "categoryId" | "status">;

/** PATCH /console/api/animals/{id}: absent fields stay as they are. Answers with AnimalView. */
export interface AnimalUpdateForm extends Partial<AnimalForm> {
  /** The animal as it was shown: if somebody has changed it since, nothing is changed (409). */
  readonly seen?: AnimalForm;
}

/** GET /console/api/animals/{id}. DELETE takes a ConfirmedForm and answers 204. */

/** GET /console/api/categories?name=&id=&cursor= ; PUT /console/api/categories/{id} {name}; DELETE. */
export interface CategoryView {
  readonly id: string;
  readonly name: string;
}

/** GET /console/api/used-categories?name=&cursor= : those with a name or animals; with a name, only those it begins. */
export interface UsedCategoryView {
  readonly id: string;
  /** Null: it has none. */
  readonly name: string | null;
  readonly animals: BoundedCount;
}

/** GET /console/api/export?format=csv|ndjson&status=&categoryId=&name=&id=&inside= : a download. */
