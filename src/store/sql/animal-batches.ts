import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Listed } from "../../domain/page.ts";
import type { Animal } from "../../domain/stock/animal.ts";
import type { AnimalSelection } from "../ports/store.ts";
import { type AnimalListName, animalListing, type Listing } from "./lists.ts";
import type { Dialect } from "./searches.ts";

const BATCH_SIZE = 2_000;

/** All animals that are selected, page after page, out of the index that lists have for them. */
export async function* animalBatches(
  run: (listing: Listing<AnimalListName>) => Awaitable<readonly Listed<Animal>[]>,
  selection: AnimalSelection,
  dialect: Dialect,
): AsyncGenerator<readonly Animal[]> {
  for (let after: Listed<Animal> | undefined; ; ) {
    const animals = await run(animalListing({ ...selection, after, size: BATCH_SIZE }, dialect, BATCH_SIZE));
    if (animals.length > 0) yield animals;
    after = animals.at(-1);
    if (!after || animals.length < BATCH_SIZE) return;
    // SQLite answers at once, and signals must be heard.
    await new Promise(setImmediate);
  }
}
