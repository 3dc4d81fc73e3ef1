import { lazy } from "../../../base/lazy.ts";
import type { Result } from "../../../base/result.ts";
import { cutPage, type Listed, type Page } from "../../../domain/page.ts";
import {
  type Category,
  type CategoryDeletion,
  type CategoryDeletionRefusal,
  type CategoryNaming,
  decideCategoryDeletion,
  decideNaming,
  type NamedCategory,
  type NamingRefusal,
} from "../../../domain/stock/category.ts";
import { entryOnCategory } from "../../../domain/stock/changes.ts";
import { fold } from "../../../domain/stock/fold.ts";
import type { CategoryQuery } from "../../ports/store.ts";
import { categoryListing, categoryLists } from "../lists.ts";
import { CATEGORIES, categoryValues, FOLDED_NAME, SELECT_CATEGORY } from "../rows.ts";
import type { Dialect } from "../searches.ts";
import { insertInto } from "../table.ts";
import { first, run, type Work } from "../work.ts";
import { journalAppender } from "./journal.ts";

export function categoryWork(dialect: Dialect) {
  const { placeholder: $, forUpdate, idIsOneOf, idList, isOneOf, textsIn } = dialect;
  const lists = lazy(() => categoryLists(dialect));
  const append = journalAppender(dialect);
  const get = `${SELECT_CATEGORY} WHERE id = ${$(1)}`;
  const getAndLock = `${get} ${forUpdate}`;
  const findByNames = `${SELECT_CATEGORY} WHERE ${isOneOf(FOLDED_NAME, textsIn($(1)))}`;
  const insert = insertInto(CATEGORIES, CATEGORIES.columns, $);
  const update = `UPDATE categories SET name = ${$(2)}, folded_name = ${$(3)} WHERE id = ${$(1)}`;
  return {
    reads: {
      *list(query: CategoryQuery): Work<Page<Listed<Category>>> {
        const { name, parameters } = categoryListing(query);
        return cutPage(yield* run<Listed<Category>>(lists()[name], parameters), query.size);
      },
      get: (id: bigint): Work<Category | undefined> => first<Category>(get, [id]),
      getSeveral: (ids: readonly bigint[]): Work<readonly Category[]> =>
        run<Category>(`${SELECT_CATEGORY} WHERE ${idIsOneOf($(1))}`, [idList(ids)]),
      findByNames: (foldedNames: readonly string[]): Work<readonly Category[]> =>
        run<Category>(findByNames, [JSON.stringify(foldedNames)]),
    },
    changes: {
      /**
       * A row that does not exist cannot be locked, nor can a name: if somebody else is faster, a unique index makes
       * this fail on PostgreSQL, and it is decided again.
       */
      *put(naming: CategoryNaming): Work<Result<NamedCategory, NamingRefusal>> {
        const current = yield* first<Category>(getAndLock, [naming.id]);
        const holder = yield* first<Category>(`${SELECT_CATEGORY} WHERE folded_name = ${$(1)}`, [fold(naming.name)]);
        const decision = decideNaming(current, holder, naming);
        if (decision.kind === "done") {
          const { category } = decision.value;
          yield* run(current ? update : insert, categoryValues(category));
          yield* append(entryOnCategory("categories name", naming, current, category));
        }
        return decision;
      },
      *delete(deletion: CategoryDeletion): Work<Result<Category, CategoryDeletionRefusal>> {
        const category = yield* first<Category>(getAndLock, [deletion.id]);
        const decision = decideCategoryDeletion(category, deletion);
        if (decision.kind === "done") {
          yield* run(`DELETE FROM categories WHERE id = ${$(1)}`, [deletion.id]);
          yield* append(entryOnCategory("categories unname", deletion, category, undefined));
        }
        return decision;
      },
    },
  };
}
