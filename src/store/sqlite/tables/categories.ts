import { cutPage, type Listed } from "../../../domain/page.ts";
import type { Category } from "../../../domain/stock/category.ts";
import type { CategoryStore } from "../../ports/store.ts";
import { type CategoryListName, categoryListing, categoryLists } from "../../sql/lists.ts";
import { SELECT_CATEGORY } from "../../sql/rows.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared, preparedSet } from "../sql/statements.ts";
import type { Writes } from "./writer.ts";

export function sqliteCategories(connection: Connection, writes: Writes): CategoryStore {
  const lists = preparedSet<CategoryListName, Listed<Category>>(connection, categoryLists(SQLITE));
  const get = prepared<Category, [bigint]>(connection, `${SELECT_CATEGORY} WHERE id = ?`);
  const getSeveral = prepared<Category, [string]>(connection, `${SELECT_CATEGORY} WHERE ${SQLITE.idIsOneOf("?1")}`);

  return {
    list(query) {
      const { name, parameters } = categoryListing(query);
      return cutPage(
        attempt(() => lists[name]().all(...parameters)),
        query.size,
      );
    },
    get: (id) => attempt(() => get().get(id)) ?? undefined,
    getSeveral: (ids) => attempt(() => getSeveral().all(SQLITE.idList(ids))),
    put: (naming, idempotencyKey) => writes.perform("putCategory", naming, idempotencyKey),
    delete: (removal, idempotencyKey) => writes.perform("deleteCategory", removal, idempotencyKey),
  };
}
