import type { Result } from "../../../base/result.ts";
import { cutPage, type Listed } from "../../../domain/page.ts";
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
import { entryOfNaming, entryOfUnnaming } from "../../../domain/stock/changes.ts";
import { fold } from "../../../domain/stock/fold.ts";
import type { CategoryStore } from "../../ports/store.ts";
import { type CategoryListName, categoryListing, categoryLists } from "../../sql/lists.ts";
import { CATEGORIES, categoryValues, SELECT_CATEGORY } from "../../sql/rows.ts";
import { insertInto, orReplace } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared, preparedSet } from "../sql/statements.ts";
import { journalWrites } from "./journal.ts";
import { CHANGE, declareWrites, forward, type Writes } from "./write.ts";

export function sqliteCategories(connection: Connection, writes: Writes): CategoryStore {
  const lists = preparedSet<CategoryListName, Listed<Category>>(connection, categoryLists(SQLITE));
  const get = prepared<Category, [bigint]>(connection, `${SELECT_CATEGORY} WHERE id = ?`);
  const getSeveral = prepared<Category, [string]>(connection, `${SELECT_CATEGORY} WHERE ${SQLITE.idIsOneOf("?1")}`);

  return {
    ...forward(writes, categoryWrites),
    list(query) {
      const { name, parameters } = categoryListing(query);
      return cutPage(
        attempt(() => lists[name]().all(...parameters)),
        query.size,
      );
    },
    get: (id) => attempt(() => get().get(id)) ?? undefined,
    getSeveral: (ids) => attempt(() => getSeveral().all(SQLITE.idList(ids))),
  };
}

const KINDS = { put: CHANGE, delete: CHANGE };

export const categoryWrites = declareWrites("categories", KINDS, (db, withIdempotency) => {
  const journal = journalWrites(db);
  const byId = prepared<Category, [bigint]>(db, `${SELECT_CATEGORY} WHERE id = ?`);
  const byName = prepared<Category, [string]>(db, `${SELECT_CATEGORY} WHERE folded_name = ?`);
  const upsert = prepared(db, `${insertInto(CATEGORIES, CATEGORIES.columns, () => "?")} ${orReplace(CATEGORIES)}`);
  const deleteRow = prepared(db, "DELETE FROM categories WHERE id = ?");

  function put(naming: CategoryNaming): Result<NamedCategory, NamingRefusal> {
    const current = byId().get(naming.id) ?? undefined;
    const holder = byName().get(fold(naming.name)) ?? undefined;
    const decision = decideNaming(current, holder, naming);
    if (decision.kind === "done") {
      upsert().run(...categoryValues(decision.value.category));
      journal.append(entryOfNaming(naming, current, decision.value.category));
    }
    return decision;
  }

  function remove(removal: CategoryDeletion): Result<Category, CategoryDeletionRefusal> {
    const decision = decideCategoryDeletion(byId().get(removal.id) ?? undefined, removal);
    if (decision.kind === "done") {
      deleteRow().run(removal.id);
      journal.append(entryOfUnnaming(removal, decision.value));
    }
    return decision;
  }

  return {
    put: (naming, idempotencyKey) => withIdempotency(idempotencyKey, () => put(naming)),
    delete: (removal, idempotencyKey) => withIdempotency(idempotencyKey, () => remove(removal)),
  };
});
