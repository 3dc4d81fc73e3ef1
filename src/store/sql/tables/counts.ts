import { lazy } from "../../../base/lazy.ts";
import { cutPage, type Page } from "../../../domain/page.ts";
import type { CountedCategories, UsedCategory, UsedCategoryQuery } from "../../ports/store.ts";
import { categoryLists, countAnimalsByCategory, usedCategoryListing } from "../lists.ts";
import type { Dialect } from "../searches.ts";
import { run, type Work } from "../work.ts";

export function categoryCounts(dialect: Dialect) {
  const lists = lazy(() => categoryLists(dialect));
  const count = countAnimalsByCategory(dialect);
  return {
    *usedCategories(query: UsedCategoryQuery): Work<Page<UsedCategory>> {
      const { name, parameters } = usedCategoryListing(query);
      return cutPage(yield* run<UsedCategory>(lists()[name], parameters), query.size);
    },
    *animalsByCategory({ ids, most }: CountedCategories): Work<ReadonlyMap<bigint, number>> {
      const counted = yield* run<{ id: bigint; animals: bigint }>(count, [JSON.stringify(ids.map(String)), most]);
      return new Map(counted.map(({ id, animals }) => [id, Number(animals)]));
    },
  };
}
