import type { Database } from "bun:sqlite";
import type { Result } from "../../../../base/result.ts";
import {
  type Category,
  type CategoryDeletion,
  type CategoryDeletionRefusal,
  type CategoryNaming,
  decideCategoryDeletion,
  decideNaming,
  type NamedCategory,
  type NamingRefusal,
} from "../../../../domain/stock/category.ts";
import { entryOfNaming, entryOfUnnaming } from "../../../../domain/stock/changes.ts";
import { fold } from "../../../../domain/stock/fold.ts";
import { CATEGORIES, categoryValues, SELECT_CATEGORY } from "../../../sql/rows.ts";
import { insertInto, orReplace } from "../../../sql/table.ts";
import { prepared } from "../../sql/statements.ts";
import type { WithIdempotency } from "../idempotency.ts";
import type { Writer } from "../writer.ts";
import { journalWrites } from "./journal.ts";

export function categoryWrites(
  db: Database,
  withIdempotency: WithIdempotency,
): Pick<Writer, "putCategory" | "deleteCategory"> {
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
    putCategory: (naming, idempotencyKey) => withIdempotency(idempotencyKey, () => put(naming)),
    deleteCategory: (removal, idempotencyKey) => withIdempotency(idempotencyKey, () => remove(removal)),
  };
}
