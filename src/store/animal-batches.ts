import type { Animal } from "../domain/animal.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { type AnimalListName, animalListing, type Listing } from "./lists.ts";
import type { Dialect } from "./searches.ts";
import type { AnimalFilter } from "./store.ts";

const BATCH_SIZE = 2_000;

/** All animals that a filter selects, page after page, out of the index that lists have for it. */
export async function* animalBatches(
  run: (listing: Listing<AnimalListName>) => Awaitable<readonly Animal[]>,
  filter: AnimalFilter,
  dialect: Dialect,
): AsyncGenerator<readonly Animal[]> {
  for (let after: Animal | undefined; ; ) {
    const animals = await run(animalListing({ ...filter, after, size: BATCH_SIZE }, dialect, BATCH_SIZE));
    if (animals.length > 0) yield animals;
    after = animals.at(-1);
    if (!after || animals.length < BATCH_SIZE) return;
    // SQLite answers at once, and signals must be heard.
    await new Promise(setImmediate);
  }
}
