import { decideCategoryDeletion, decideNaming } from "../../../src/domain/stock/category.ts";
import { fold } from "../../../src/domain/stock/fold.ts";
import type { CategoryStore } from "../../../src/store/ports/categories.ts";
import { pageById, pageByName } from "./lists.ts";
import type { Once } from "./saved-responses.ts";
import type { Tables } from "./tables.ts";

export function categoryStore({ categories }: Tables, once: Once): CategoryStore {
  const holderOf = (foldedName: string) => [...categories.values()].find(({ name }) => fold(name) === foldedName);
  return {
    list: ({ name, ...page }) => {
      const rows = [...categories.values()];
      return name === undefined ? pageById(rows, page) : pageByName(rows, { ...page, name });
    },
    get: (id) => categories.get(id),
    getSeveral: (ids) => ids.flatMap((id) => categories.get(id) ?? []),
    findByNames: (foldedNames) => foldedNames.flatMap((foldedName) => holderOf(foldedName) ?? []),
    put: (naming, key) =>
      once(key, () => {
        const decision = decideNaming(categories.get(naming.id), holderOf(fold(naming.name)), naming);
        if (decision.kind === "done") categories.set(naming.id, decision.value.category);
        return decision;
      }),
    delete: (deletion, key) =>
      once(key, () => {
        const decision = decideCategoryDeletion(categories.get(deletion.id), deletion);
        if (decision.kind === "done") categories.delete(deletion.id);
        return decision;
      }),
  };
}
