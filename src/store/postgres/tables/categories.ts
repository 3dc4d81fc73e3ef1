import { cutPage, type Listed } from "../../../domain/page.ts";
import { type Category, decideCategoryDeletion, decideNaming } from "../../../domain/stock/category.ts";
import { entryOfNaming, entryOfUnnaming } from "../../../domain/stock/changes.ts";
import { fold } from "../../../domain/stock/fold.ts";
import type { CategoryStore } from "../../ports/store.ts";
import { type CategoryListName, categoryListing, categoryLists } from "../../sql/lists.ts";
import { CATEGORIES, categoryValues, SELECT_CATEGORY } from "../../sql/rows.ts";
import { insertInto } from "../../sql/table.ts";
import { POSTGRES, runListing } from "../connections/dialect.ts";
import type { Pool } from "../database.ts";
import type { TransactOnce } from "./idempotency.ts";
import { appendJournal } from "./journal.ts";

const GET = `${SELECT_CATEGORY} WHERE id = $1`;
const GET_AND_LOCK = `${GET} FOR UPDATE`;
const GET_SEVERAL = `${SELECT_CATEGORY} WHERE ${POSTGRES.idIsOneOf("$1")}`;
const GET_BY_NAME = `${SELECT_CATEGORY} WHERE folded_name = $1`;
const INSERT = insertInto(CATEGORIES, CATEGORIES.columns, POSTGRES.placeholder);
const UPDATE = "UPDATE categories SET name = $2, folded_name = $3 WHERE id = $1";
const DELETE = "DELETE FROM categories WHERE id = $1";

export function postgresCategories(pool: Pool, transactOnce: TransactOnce): CategoryStore {
  const lists = categoryLists(POSTGRES);

  return {
    async list(query) {
      const rows = await runListing<CategoryListName, Listed<Category>>(pool, lists, categoryListing(query));
      return cutPage(rows, query.size);
    },
    async get(id) {
      const [category] = await pool.read<Category>(GET, [id]);
      return category;
    },
    getSeveral: (ids) => pool.read<Category>(GET_SEVERAL, [POSTGRES.idList(ids)]),
    /**
     * A row that does not exist cannot be locked, nor can a name: if somebody else is faster, a unique index makes this
     * fail, and it is decided again.
     */
    put: (naming, key) =>
      transactOnce(key, async (tx) => {
        const [current] = await tx.run<Category>(GET_AND_LOCK, [naming.id]);
        const [holder] = await tx.run<Category>(GET_BY_NAME, [fold(naming.name)]);
        const decision = decideNaming(current, holder, naming);
        if (decision.kind === "done") {
          const { category } = decision.value;
          await tx.run(current ? UPDATE : INSERT, categoryValues(category));
          await appendJournal(tx, entryOfNaming(naming, current, category));
        }
        return decision;
      }),
    delete: (removal, key) =>
      transactOnce(key, async (tx) => {
        const [category] = await tx.run<Category>(GET_AND_LOCK, [removal.id]);
        const decision = decideCategoryDeletion(category, removal);
        if (decision.kind === "done") {
          await tx.run(DELETE, [removal.id]);
          await appendJournal(tx, entryOfUnnaming(removal, decision.value));
        }
        return decision;
      }),
  };
}
